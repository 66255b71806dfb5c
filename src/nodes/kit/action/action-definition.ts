import type { ActionType } from '../../../shared/action'
import type { CountUnit } from '../report/status'
import type { Run } from './run'

/** The parts in which the types of action nodes differ. */
export interface ActionDefinition<T extends ActionType> {
  type: T
  /** The unit of the count in the status. */
  unit: CountUnit
  /** Whether *Repeat every* goes on after a deploy or restart where it was; otherwise, it begins at once. */
  resumesRepeat?: boolean
  /** Handles one trigger. @throws EnvlogError if the whole trigger fails */
  run(run: Run<T>): Promise<void>
}
