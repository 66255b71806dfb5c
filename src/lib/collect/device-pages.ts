import { HolePages } from './hole-pages'
import type { Hole } from './holes'
import type { SavedDevice, SentPage } from './saved-state'

/**
 * The pages of a device's holes: when which is requested next, and the one that is being sent or awaits its receipt.
 * Times are ms since 1970 UTC, if nothing else is said.
 */
export class DevicePages {
  /** By the beginnings of the holes. */
  readonly #ofHoles = new Map<number, HolePages>()
  /** Whether a page is not confirmed although it is as small as possible. */
  isRefused = false
  #sent: SentPage | undefined
  #utcOffset: number | null | undefined
  #requestedAt = Number.NEGATIVE_INFINITY

  /** @param from the beginning of a hole */
  of(from: number): HolePages {
    const pages = this.#ofHoles.get(from) ?? new HolePages()
    this.#ofHoles.set(from, pages)
    return pages
  }

  /** Minutes that the device's clock is ahead of UTC according to its newest records; pages do not say it. */
  get utcOffset(): number | null | undefined {
    return this.#utcOffset
  }

  setUtcOffset(minutes: number | null): void {
    this.#utcOffset = minutes
  }

  /** When a page was last requested, monotonic ms: devices take turns. */
  get requestedAt(): number {
    return this.#requestedAt
  }

  /** Call this when a page is requested. @param now monotonic ms */
  request(now: number): void {
    this.#requestedAt = now
  }

  /** The page that is being sent, or awaits its receipt. */
  get sent(): SentPage | undefined {
    return this.#sent
  }

  /** Call this before a page is delivered. */
  begin(page: SentPage): void {
    this.#sent = page
  }

  /** Call this when a page is no longer being sent, whether or not it has arrived. */
  end(): void {
    this.#sent = undefined
  }

  arrived(): void {
    if (this.#sent) this.of(this.#sent.from).arrived()
    this.end()
  }

  failSent(now: number): void {
    if (this.#sent) {
      const pages = this.of(this.#sent.from)
      pages.failed(this.#sent.records, now, 'unconfirmed')
      this.isRefused ||= pages.isRefused
    }
    this.end()
  }

  endPauses(): void {
    for (const pages of this.#ofHoles.values()) pages.endPause()
  }

  clear(): void {
    this.#ofHoles.clear()
    this.end()
  }

  /** @param holes the present ones: others are forgotten */
  toSave(holes: readonly Hole[]): Pick<SavedDevice, 'pages' | 'sentPage'> {
    const froms = holes.map(({ from }) => from)
    for (const from of this.#ofHoles.keys()) if (!froms.includes(from)) this.#ofHoles.delete(from)
    const saved = [...this.#ofHoles].flatMap(([from, pages]) => {
      const one = pages.toSave()
      return one ? [[from, one] as const] : []
    })
    return {
      ...(saved.length > 0 && { pages: Object.fromEntries(saved) }),
      ...(this.#sent && { sentPage: this.#sent }),
    }
  }

  restore({ pages = {}, sentPage }: SavedDevice, now: number): void {
    for (const [from, one] of Object.entries(pages)) this.#ofHoles.set(Number(from), new HolePages(one))
    this.#sent = sentPage
    // The process has ended because of the page, or before its receipt arrived.
    this.failSent(now)
  }
}
