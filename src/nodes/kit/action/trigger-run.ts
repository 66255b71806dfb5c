import type { ResolvedDevice } from '../../../lib/collect/devices'
import type { ActionType } from '../../../shared/action'
import { DeviceRound } from './device-round'
import { type DeviceWork, Run } from './run'

/** The processing of a trigger by a deployed node: it requests all chosen devices. */
export class TriggerRun<T extends ActionType> extends Run<T> {
  override forEachDevice(
    work: DeviceWork,
    concurrency = this.account.concurrency,
  ): Promise<readonly ResolvedDevice[]> {
    return new DeviceRound(this, work).process(concurrency)
  }
}
