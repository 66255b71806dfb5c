import { orClosed } from '../abort'
import { type Clock, nextTurn } from '../clock'
import { type CurrentEnvelope, type Group, type KnownFields, knownFieldsOf } from '../decode/envelopes'
import { EnvlogError } from '../errors'
import type { QuotaWait, RequestContext } from '../request'

/** A device in the account's list, under one base unit. */
export type AccountDevice = KnownFields

/** A response of `current` without a filter. */
export interface DevicesResponse {
  body: CurrentEnvelope
  /** ms since 1970 UTC. */
  receivedAt: number
}

/** A list older than this is fetched again. */
const MAX_AGE_MS = 10 * 60_000
/** Minimum time between two requests for the list, after a failed request or because of an unknown device. */
const MIN_REFRESH_INTERVAL_MS = 60_000
/** Maximum time that deliveries wait for a list that is requested for names, from its request. */
export const MAX_NAMES_WAIT_MS = 5000

/** The last list for a login, which nodes share and which outlives deploys. Times are monotonic ms. */
export class DevicesState {
  devices: readonly AccountDevice[] | undefined
  /** The response that contained the devices. */
  response: DevicesResponse | undefined
  updatedAt = Number.NEGATIVE_INFINITY
  /** When the last request ended. Until then, all callers wait for it. */
  requestedAt = Number.NEGATIVE_INFINITY
}

/**
 * The devices of an account, from unfiltered responses of `current`. The list is fetched once for all nodes and cached
 * for ten minutes. After a failed refresh the old list is used. An unknown serial, base unit or group refreshes it, at
 * most once a minute.
 */
export class AccountDevices {
  readonly #state: DevicesState
  readonly #fetch: (context: RequestContext) => Promise<DevicesResponse>
  readonly #clock: Clock
  /** Whether the list is being requested for names. */
  #isRequested = false
  /** Resolves, and is no longer set, when deliveries do not wait for that list. */
  #wait: Promise<void> | undefined

  /**
   * @param state shared by all accounts with the same login
   * @param fetch requests `current` without a filter
   */
  constructor(
    state: DevicesState,
    fetch: (context: RequestContext) => Promise<DevicesResponse>,
    clock: Clock,
  ) {
    this.#state = state
    this.#fetch = fetch
    this.#clock = clock
  }

  /** @throws EnvlogError of the request, if there is no list */
  async all(context: RequestContext): Promise<readonly AccountDevice[]> {
    const { devices } = this.#state
    if (devices && this.#isRecent) return devices
    if (!devices || !this.#wasJustRequested()) {
      try {
        await this.#refresh(context)
      } catch (error) {
        if (!devices || context.signal.aborted) throw error
      }
    }
    return this.#state.devices ?? []
  }

  /**
   * All devices that match. If there are none, the list is refreshed first.
   * @throws EnvlogError of the request, if there is no list
   */
  async filter(
    matches: (device: AccountDevice) => boolean,
    context: RequestContext,
  ): Promise<readonly AccountDevice[]> {
    const found = (await this.all(context)).filter(matches)
    if (found.length > 0 || this.#wasJustRequested()) return found
    this.#state.updatedAt = Number.NEGATIVE_INFINITY
    return (await this.all(context)).filter(matches)
  }

  /** A device; `undefined` if the account does not have it. @throws EnvlogError of the request */
  async find(serial: string, base: string, context: RequestContext): Promise<AccountDevice | undefined> {
    // A device under another base unit is no reason to refresh the list.
    const found = await this.filter((device) => device.serial === serial, context)
    return found.find((device) => device.base === base)
  }

  /**
   * Minutes that a device's clock is ahead of UTC; `null` if its offset cannot be read.
   * @throws EnvlogError `device-unknown`, or if the request fails
   */
  async utcOffset(serial: string, base: string, context: RequestContext): Promise<number | null> {
    const device = await this.find(serial, base, context)
    if (!device) throw new EnvlogError('device-unknown', { serial }, { serial, base })
    return device.utcOffset
  }

  /**
   * Requests the list if it is missing or old, or lacks a device, at most once a minute: for names and groups, which the
   * last list has until then. It never fails, because nothing depends on it.
   */
  async requestNames(devices: readonly { serial: string }[], context: RequestContext): Promise<void> {
    const serials = new Set(this.#state.devices?.map(({ serial }) => serial))
    const isComplete = devices.every(({ serial }) => serials.has(serial))
    if (this.#isRequested || (isComplete && this.#isRecent) || this.#wasJustRequested()) return
    let endWait = () => {}
    this.#isRequested = true
    this.#wait = new Promise((resolve) => {
      endWait = () => {
        this.#wait = undefined
        resolve()
      }
    })
    const cancel = this.#clock.after(MAX_NAMES_WAIT_MS, endWait)
    const onWait = ({ until }: QuotaWait) => {
      if (until !== null) endWait()
    }
    try {
      // The first requests of a round do not wait for a connection that this one uses.
      await nextTurn()
      // Further attempts would use quota that others need.
      await this.#refresh({ ...context, onWait, maxRetries: 0, isTriedOnce: true })
    } catch (error) {
      if (!(error instanceof EnvlogError)) throw error
    } finally {
      cancel()
      endWait()
      this.#isRequested = false
    }
  }

  /**
   * Waits for a list that is being requested for names, if the last one does not have the device. It does not wait if
   * the request fails or waits for quota, and never fails.
   */
  async awaitNames(device: { serial: string; base: string }, context: RequestContext): Promise<void> {
    const { onNamesWait, signal } = context
    if (!onNamesWait || !this.#wait || this.has(device.serial, device.base)) return
    onNamesWait()
    await orClosed(this.#wait, signal).catch(() => {})
  }

  /**
   * The name of a device in the last list, under any base unit if `base` is absent; `undefined` if it is not listed.
   */
  nameOf({ serial, base }: { serial: string; base?: string | undefined }): string | undefined {
    const { devices = [] } = this.#state
    const isNamed = (device: AccountDevice) =>
      device.serial === serial && (base ?? device.base) === device.base
    return devices.find(isNamed)?.name || undefined
  }

  /** The group of a device in the last list; `null` if it has none, or is not listed. */
  groupOf({ serial, base }: { serial: string; base: string }): Group | null {
    const { devices = [] } = this.#state
    return devices.find((device) => device.serial === serial && device.base === base)?.group ?? null
  }

  /** Whether the last list has the device under this base unit; `undefined` if there is no list. */
  has(serial: string, base: string): boolean | undefined {
    return this.#state.devices?.some((device) => device.serial === serial && device.base === base)
  }

  /** The response with the list, regardless of its age; `undefined` if there is none. Never sends a request. */
  get response(): DevicesResponse | undefined {
    return this.#state.response
  }

  /**
   * The response with the list.
   * @param refresh whether to fetch it even if the list is recent
   * @throws EnvlogError if the request fails
   */
  async fetchResponse(context: RequestContext, refresh: boolean): Promise<DevicesResponse> {
    if (refresh) await this.#refresh(context)
    else await this.all(context)
    return this.#state.response as DevicesResponse
  }

  /**
   * Whether the devices with this serial are remote units; `undefined` if the last list has no such device, or if only
   * some of them are remote units.
   * @param isCurrent whether a list older than ten minutes must not be used
   */
  isRemote(serial: string, isCurrent: boolean): boolean | undefined {
    const { devices = [], updatedAt } = this.#state
    if (isCurrent && this.#since(updatedAt) >= MAX_AGE_MS) return undefined
    const found = devices.filter((device) => device.serial === serial)
    const remotes = found.filter(({ base }) => base !== serial)
    if (found.length === 0 || (remotes.length > 0 && remotes.length < found.length)) return undefined
    return remotes.length > 0
  }

  /** Stores a response. @throws EnvlogError `response-unreadable` if none of its devices can be read */
  update(response: DevicesResponse): void {
    const devices = toDevices(response.body)
    const [first] = response.body.unreadable
    if (first && devices.length === 0) {
      throw new EnvlogError('response-unreadable', { part: first.part }, { endpoint: 'current' })
    }
    const now = this.#clock.monotonic()
    Object.assign(this.#state, { response, devices, updatedAt: now, requestedAt: now })
  }

  /** Fetches the list. If this is called concurrently, the client sends only one request. */
  async #refresh(context: RequestContext): Promise<void> {
    try {
      this.update(await this.#fetch(context))
    } finally {
      this.#state.requestedAt = this.#clock.monotonic()
    }
  }

  get #isRecent(): boolean {
    const { devices, updatedAt } = this.#state
    // An account is hardly ever really empty, so an empty list is fetched again as soon as it may be.
    return devices?.length !== 0 && this.#since(updatedAt) < MAX_AGE_MS
  }

  #wasJustRequested(): boolean {
    return this.#since(this.#state.requestedAt) < MIN_REFRESH_INTERVAL_MS
  }

  #since(instant: number): number {
    return this.#clock.monotonic() - instant
  }
}

/** The devices of a response, including those whose identity can be read although their readings cannot. */
function toDevices({ devices, unreadable }: CurrentEnvelope): AccountDevice[] {
  return [...devices.map(knownFieldsOf), ...unreadable.flatMap(({ known }) => known ?? [])]
}
