import type { Account } from '../account'
import type { Asker } from '../quota/asker'
import { readAlerts } from '../readings/alerts'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import { type Collected, collectedOf, type Form, ofTarget, rawContent } from './records'

/** The newest 20 alert log entries of a device (endpoint 6). @throws EnvlogError */
export async function collectAlerts(
  account: Account,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  asker: Asker,
): Promise<Collected> {
  const params = { 'remote-serial': target.serial, 'base-serial': target.base }
  if (form !== 'read') {
    const answer = await account.client.readRaw('alert', params, asker)
    return collectedOf(target, answer, rawContent(target, answer.body))
  }
  const answer = await account.client.read('alert', params, asker)
  return collectedOf(target, answer, { kind: 'alerts', ...readAlerts(ofTarget(answer.body, target), time) })
}
