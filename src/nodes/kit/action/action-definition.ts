import type { ActionType } from '../../../shared/action'
import type { CountUnit } from '../report/status'
import type { Run } from './run'

/** The parts in which the types of action nodes differ. */
export interface ActionDefinition<T extends ActionType> {
  type: T
  /** The unit of the count in the status. */
  unit: CountUnit
  /**
   * When *Repeat every* triggers the node. `together`: at the same times as other nodes with this interval, because they
   * share a response. `resumed`: after a deploy or restart, when it would have been triggered without it. By default, soon
   * after each start, and then after each interval.
   */
  repeats?: 'together' | 'resumed'
  /** Handles one trigger. @throws EnvlogError if the whole trigger fails */
  run(run: Run<T>): Promise<void>
}
