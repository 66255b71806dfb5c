import type { Clock } from '../clock'
import type { CurrentEnvelope } from '../decode/envelopes'
import type { KnownFields } from '../decode/fields'
import { toUtcOffset } from '../decode/time'
import { EnvlogError } from '../errors'
import { knownFieldsOf } from '../readings/device'
import type { RequestContext } from '../request'
import type { NamedDevice } from './devices'

/** What the account knows of one device under one base unit. */
export interface DirectoryEntry extends KnownFields {
  serial: string
  /** Minutes ahead of UTC; `null` where that cannot be read. */
  utcOffset: number | null
}

/** An older list is requested again. */
const MAX_AGE_MS = 10 * 60_000
/** After a failed request, or for what is unknown, the list is requested again no earlier. */
const MIN_REFRESH_INTERVAL_MS = 60_000

/**
 * The devices of an account, from answers of `current` without a filter. The list is fetched once however many need
 * it, and kept for ten minutes. After a failed refresh the old list is used. An unknown serial, base unit or group
 * refreshes it, at most once a minute.
 */
export interface Directory {
  /** @throws EnvlogError of the request, where there is no list at all */
  list(context: RequestContext): Promise<readonly DirectoryEntry[]>
  /** The device under each of its base units; empty where the account has no such device. */
  find(serial: string, context: RequestContext): Promise<readonly DirectoryEntry[]>
  /** All devices that are meant; where there is none, the list is refreshed as for an unknown serial. */
  findAll(
    isMeant: (entry: DirectoryEntry) => boolean,
    context: RequestContext,
  ): Promise<readonly DirectoryEntry[]>
  /** The name of a device and of its group; blank for none, and where the account does not have the device. */
  describe(
    serial: string,
    base: string,
    context: RequestContext,
  ): Promise<Pick<DirectoryEntry, 'name' | 'group'>>
  /** Minutes that a device's clock is ahead of UTC. @throws EnvlogError `device-unknown`, `reply-unreadable` */
  utcOffset(serial: string, base: string, context: RequestContext): Promise<number>
  /**
   * The answer that the list is from. @param refresh whether it is requested again @throws EnvlogError of the request
   */
  getAnswer(context: RequestContext, refresh: boolean): Promise<DirectoryAnswer>
  /** The answer that the list is from, however old; `undefined` where there is none. */
  cachedAnswer(): DirectoryAnswer | undefined
  /** The name of a device in the last list, which of its base units it may stand under; `undefined` for none. */
  nameOf(device: NamedDevice): string | undefined
  /** Whether the last list has the device under that base unit; `undefined` where there is none. */
  has(serial: string, base: string): boolean | undefined
  /**
   * Whether all devices with that serial are remote units; `undefined` where the last list has none, or some are not.
   * @param isCurrent only by a list of the last ten minutes
   */
  isRemote(serial: string, isCurrent: boolean): boolean | undefined
  /** Takes over an answer. @throws EnvlogError `reply-unreadable` where it has devices and none can be read */
  update(answer: DirectoryAnswer): void
}

/** An answer of `current` without a filter. */
export interface DirectoryAnswer {
  body: CurrentEnvelope
  /** ms since 1970 UTC. */
  receivedAt: number
}

/** What is known of the devices. The nodes of one login share it, and it outlives deploys. */
export interface DirectoryState {
  entries: readonly DirectoryEntry[] | undefined
  /** The answer that they are from. */
  answer: DirectoryAnswer | undefined
  /** When the list was received, monotonic ms. */
  updatedAt: number
  /** When the list was last requested, monotonic ms. */
  requestedAt: number
  pendingRequests: number
}

/** Nothing is known yet. */
export function createDirectoryState(): DirectoryState {
  const never = Number.NEGATIVE_INFINITY
  return { entries: undefined, answer: undefined, updatedAt: never, requestedAt: never, pendingRequests: 0 }
}

/**
 * @param state shared by all directories of one login
 * @param fetch requests `current` without a filter
 */
export function createDirectory(
  state: DirectoryState,
  fetch: (context: RequestContext) => Promise<DirectoryAnswer>,
  clock: Clock,
): Directory {
  const since = (instant: number) => clock.monotonic() - instant

  function update(answer: DirectoryAnswer): void {
    const entries = toEntries(answer.body)
    const [first] = answer.body.unreadable
    if (first && entries.length === 0) {
      throw new EnvlogError('reply-unreadable', { part: first.part }, { endpoint: 'current' })
    }
    state.answer = answer
    state.entries = entries
    state.updatedAt = clock.monotonic()
    state.requestedAt = state.updatedAt
  }

  /** Requests that are made meanwhile are identical, so the client makes one of them. */
  async function refresh(context: RequestContext): Promise<void> {
    if (state.pendingRequests === 0) state.requestedAt = clock.monotonic()
    state.pendingRequests++
    try {
      update(await fetch(context))
    } finally {
      state.pendingRequests--
    }
  }

  async function list(context: RequestContext): Promise<readonly DirectoryEntry[]> {
    const { entries } = state
    if (entries && since(state.updatedAt) < MAX_AGE_MS) return entries
    if (!entries || state.pendingRequests > 0 || since(state.requestedAt) >= MIN_REFRESH_INTERVAL_MS) {
      try {
        await refresh(context)
      } catch (error) {
        if (!entries || context.signal.aborted) throw error
      }
    }
    return state.entries ?? []
  }

  async function findAll(isMeant: (entry: DirectoryEntry) => boolean, context: RequestContext) {
    const found = (await list(context)).filter(isMeant)
    const isRecent = state.pendingRequests === 0 && since(state.requestedAt) < MIN_REFRESH_INTERVAL_MS
    if (found.length > 0 || isRecent) return found
    state.updatedAt = Number.NEGATIVE_INFINITY
    return (await list(context)).filter(isMeant)
  }

  const find = (serial: string, context: RequestContext) =>
    findAll((entry) => entry.serial === serial, context)

  const findUnder = async (serial: string, base: string, context: RequestContext) =>
    (await find(serial, context)).find((entry) => entry.base === base)

  return {
    list,
    find,
    findAll,
    update,
    async getAnswer(context, isRefreshed) {
      if (isRefreshed) await refresh(context)
      else await list(context)
      return state.answer as DirectoryAnswer
    },
    cachedAnswer: () => state.answer,
    nameOf: ({ serial, base }) =>
      state.entries?.find((entry) => entry.serial === serial && (base ?? entry.base) === entry.base)?.name ||
      undefined,
    has: (serial, base) => state.entries?.some((entry) => entry.serial === serial && entry.base === base),
    isRemote(serial, isCurrent) {
      if (isCurrent && since(state.updatedAt) >= MAX_AGE_MS) return undefined
      const found = state.entries?.filter((entry) => entry.serial === serial) ?? []
      const remotes = found.filter(({ base }) => base !== serial)
      if (found.length === 0 || (remotes.length > 0 && remotes.length < found.length)) return undefined
      return remotes.length > 0
    },
    describe: async (serial, base, context) => nameAndGroup(await findUnder(serial, base, context)),
    async utcOffset(serial, base, context) {
      const entry = await findUnder(serial, base, context)
      if (!entry) throw new EnvlogError('device-unknown', { serial }, { serial, base })
      if (entry.utcOffset === null) {
        throw new EnvlogError('reply-unreadable', { part: 'time_diff' }, { serial, base })
      }
      return entry.utcOffset
    },
  }
}

/** With devices of which only the readings cannot be read. */
function toEntries({ devices, unreadable }: CurrentEnvelope): DirectoryEntry[] {
  const readable = devices.map((device) => ({
    serial: device.serial,
    ...knownFieldsOf(device),
    utcOffset: toUtcOffset(device.offsets),
  }))
  const others = unreadable.flatMap(({ serial, known }) =>
    known ? [{ serial, ...known, utcOffset: null }] : [],
  )
  return [...readable, ...others]
}

function nameAndGroup(entry: DirectoryEntry | undefined): Pick<DirectoryEntry, 'name' | 'group'> {
  return { name: entry?.name ?? '', group: entry?.group ?? '' }
}
