import type { Cursor } from './cursor'
import type { Delivery } from './fetch'
import type { SentPage } from './saved-state'

/** A delivery that is kept in memory until its receipt arrives. */
export type RetainedDelivery = Omit<Delivery, 'failed' | 'receipt'>

/** A delivery whose receipt has not been returned. */
export interface AwaitedDelivery {
  /** ms since 1970 UTC; later than that of any other delivery of the device, so that it identifies the receipt. */
  readonly issuedAt: number
  /** The cursor after acknowledgement. */
  readonly next: Cursor
  /** `null` if its data is requested again once the receipt is overdue, and not kept until then. */
  readonly retained: RetainedDelivery | null
  /** The page of missing records that it consists of; `undefined` if it has new records. */
  readonly page: SentPage | undefined
  /** When the first delivery without a receipt was made, perhaps of fewer records, ms since 1970 UTC. */
  readonly since: number
  /** How often records were sent since then without a receipt, perhaps together with later ones. */
  readonly sends: number
  /** The cursor of what was last sent without a receipt; `null` if nothing was sent. */
  readonly sent: Cursor | null
  /** When its receipt is overdue, monotonic ms. */
  readonly overdueAt: number
}
