import type { Cursor } from './cursor'
import type { Delivery } from './fetch'
import type { SentPage } from './saved-state'

/** A delivery that is kept in memory until its receipt arrives. */
export type RetainedDelivery = Omit<Delivery, 'failed' | 'receipt'>

/** A delivery whose receipt has not been returned. */
export class AwaitedDelivery {
  /** When the first delivery without a receipt was made, perhaps of fewer records, ms since 1970 UTC. */
  readonly since: number
  /** How often records were sent since then without a receipt, perhaps together with later ones. */
  sends: number
  /** The cursor of what was last sent without a receipt; `null` if nothing was sent. */
  sent: Cursor | null
  /**
   * From this time on, a retained delivery is sent again, and one that is not retained is requested again. Monotonic
   * ms.
   */
  overdueAt = Number.NEGATIVE_INFINITY

  /**
   * @param issuedAt ms since 1970 UTC; later than that of any other delivery of the device, so that it identifies the
   * receipt
   * @param next the cursor after acknowledgement
   * @param page the page of missing records that it consists of; `undefined` if it has new records
   * @param previous the delivery that it replaces, if there is one
   */
  constructor(
    readonly issuedAt: number,
    readonly next: Cursor,
    public retained: RetainedDelivery | null,
    readonly page?: SentPage,
    previous?: AwaitedDelivery | null,
  ) {
    this.since = previous?.since ?? issuedAt
    this.sends = previous?.sends ?? 0
    this.sent = previous?.sent ?? null
  }

  markSent(): void {
    this.sends++
    this.sent = this.next
  }
}
