import type { CurrentEnvelope } from '../api/envelopes'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { Asker } from '../quota/asker'
import { utcOffset } from '../readings/time'

/** What the account knows of one device under one base unit. */
export interface Entry {
  serial: string
  base: string
  name: string
  /** Name of its group; blank for none. */
  group: string
  /** Minutes ahead of UTC; `null` where that cannot be read. */
  utcOffset: number | null
}

const FRESH_MS = 10 * 60_000
const AGAIN_MS = 60_000

/**
 * The account's devices as `current` tells them: fetched once however many ask, kept ten minutes. A failed
 * refresh keeps the old list; an unknown serial refreshes it, at most once a minute.
 */
export interface Directory {
  /** @throws EnvlogError of the request, where there is no list at all */
  all(asker: Asker): Promise<readonly Entry[]>
  /** The device under each of its base units; empty where the account has no such device. */
  find(serial: string, asker: Asker): Promise<readonly Entry[]>
  /** A device's name and its group's, blank for none and where the account does not have it. */
  describe(serial: string, base: string, asker: Asker): Promise<Pick<Entry, 'name' | 'group'>>
  /** Minutes a device's clock is ahead of UTC. @throws EnvlogError `device-unknown` */
  utcOffset(serial: string, base: string, asker: Asker): Promise<number>
  /** The answer that the list is of, asked for anew where that is wished. @throws EnvlogError */
  answer(asker: Asker, anew: boolean): Promise<DirectoryAnswer>
  /** The answer that the list is of, however old; nothing where there is none. */
  known(): DirectoryAnswer | undefined
  /** Whether the account had the device under that base unit when it was last asked; nothing where it never was. */
  has(serial: string, base: string): boolean | undefined
  /** Takes over an answer of `current` that was asked without a filter. */
  learn(answer: DirectoryAnswer): void
}

/** An answer of `current` that was asked without a filter. */
export interface DirectoryAnswer {
  body: CurrentEnvelope
  /** ms since 1970 UTC. */
  receivedAt: number
}

/** What is known of the devices: shared by the nodes of one login, and kept over deploys. */
export interface DirectoryState {
  entries: readonly Entry[] | undefined
  /** The answer that they are of. */
  answer: DirectoryAnswer | undefined
  /** Monotonic ms: when the list was learnt, when it was last asked for. */
  learntAt: number
  triedAt: number
  /** Requests that are on their way. */
  refreshing: number
}

export function createDirectoryState(): DirectoryState {
  const never = Number.NEGATIVE_INFINITY
  return { entries: undefined, answer: undefined, learntAt: never, triedAt: never, refreshing: 0 }
}

export function createDirectory(
  state: DirectoryState,
  fetch: (asker: Asker) => Promise<DirectoryAnswer>,
  clock: Clock,
): Directory {
  const since = (instant: number) => clock.monotonic() - instant

  /** @throws EnvlogError `reply-unreadable` where there are devices and nothing can be read of any */
  function learn(answer: DirectoryAnswer): void {
    const entries = entriesOf(answer.body)
    const [first] = answer.body.unreadable
    if (first && entries.length === 0) {
      throw new EnvlogError('reply-unreadable', { part: first.part }, { endpoint: 'current' })
    }
    state.answer = answer
    state.entries = entries
    state.learntAt = clock.monotonic()
    state.triedAt = state.learntAt
  }

  /** Who asks meanwhile asks too: identical requests become one. */
  async function refresh(asker: Asker): Promise<void> {
    if (state.refreshing === 0) state.triedAt = clock.monotonic()
    state.refreshing++
    try {
      learn(await fetch(asker))
    } finally {
      state.refreshing--
    }
  }

  async function all(asker: Asker): Promise<readonly Entry[]> {
    const { entries } = state
    if (entries && since(state.learntAt) < FRESH_MS) return entries
    if (!entries || state.refreshing > 0 || since(state.triedAt) >= AGAIN_MS) {
      try {
        await refresh(asker)
      } catch (error) {
        if (!entries || asker.signal.aborted) throw error
      }
    }
    return state.entries ?? []
  }

  async function find(serial: string, asker: Asker): Promise<readonly Entry[]> {
    const known = (list: readonly Entry[]) => list.filter((entry) => entry.serial === serial)
    const found = known(await all(asker))
    if (found.length > 0 || (state.refreshing === 0 && since(state.triedAt) < AGAIN_MS)) return found
    state.learntAt = Number.NEGATIVE_INFINITY
    return known(await all(asker))
  }

  const one = async (serial: string, base: string, asker: Asker) =>
    (await find(serial, asker)).find((entry) => entry.base === base)

  return {
    all,
    find,
    learn,
    async answer(asker, anew) {
      if (anew) await refresh(asker)
      else await all(asker)
      return state.answer as DirectoryAnswer
    },
    known: () => state.answer,
    has: (serial, base) => state.entries?.some((entry) => entry.serial === serial && entry.base === base),
    describe: async (serial, base, asker) => nameAndGroup(await one(serial, base, asker)),
    async utcOffset(serial, base, asker) {
      const entry = await one(serial, base, asker)
      if (!entry) throw new EnvlogError('device-unknown', { serial }, { serial, base })
      if (entry.utcOffset === null) {
        throw new EnvlogError('reply-unreadable', { part: 'time_diff' }, { serial, base })
      }
      return entry.utcOffset
    },
  }
}

/** Also devices of which only the readings cannot be read. */
function entriesOf({ devices, unreadable }: CurrentEnvelope): Entry[] {
  const readable = devices.map(({ serial, name, baseunit, group, offsets }) => ({
    serial,
    base: baseunit?.serial ?? serial,
    name,
    group: group?.name ?? '',
    utcOffset: utcOffset(offsets),
  }))
  const others = unreadable.flatMap(({ serial, known }) =>
    known ? [{ serial, ...known, utcOffset: null }] : [],
  )
  return [...readable, ...others]
}

function nameAndGroup(entry: Entry | undefined): Pick<Entry, 'name' | 'group'> {
  return { name: entry?.name ?? '', group: entry?.group ?? '' }
}
