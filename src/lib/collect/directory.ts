import type { CurrentEnvelope } from '../api/envelopes'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { joined } from '../joined'
import { utcOffset } from '../readings/time'

/** What the account knows of one device under one base unit. */
export interface Entry {
  serial: string
  base: string
  name: string
  /** Name of its group; blank for none. */
  group: string
  /** Minutes ahead of UTC. */
  utcOffset: number
}

const FRESH_MS = 10 * 60_000
const AGAIN_MS = 60_000

/**
 * The account's devices as `current` tells them: fetched once however many ask, kept ten minutes. A failed
 * refresh keeps the old list; an unknown serial refreshes it, at most once a minute.
 */
export interface Directory {
  /** @throws EnvlogError of the request, where there is no list at all */
  all(signal: AbortSignal): Promise<readonly Entry[]>
  /** The device under each of its base units; empty where the account has no such device. */
  find(serial: string, signal: AbortSignal): Promise<readonly Entry[]>
  /** A device's name and its group's, blank for none and where the account does not have it. */
  describe(serial: string, base: string, signal: AbortSignal): Promise<Pick<Entry, 'name' | 'group'>>
  /** Minutes a device's clock is ahead of UTC. @throws EnvlogError `device-unknown` */
  utcOffset(serial: string, base: string, signal: AbortSignal): Promise<number>
  /** Takes over an answer of `current` that was asked without a filter. */
  learn(envelope: CurrentEnvelope): void
}

export function createDirectory(
  fetch: (signal: AbortSignal) => Promise<CurrentEnvelope>,
  clock: Clock,
): Directory {
  let entries: readonly Entry[] | undefined
  let learntAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY

  function learn(envelope: CurrentEnvelope): void {
    entries = envelope.devices.map(({ serial, name, baseunit, group, offsets }) => ({
      serial,
      base: baseunit?.serial ?? serial,
      name,
      group: group?.name ?? '',
      utcOffset: utcOffset(offsets),
    }))
    learntAt = clock.now()
    triedAt = learntAt
  }

  let refreshing = false
  // Who asks meanwhile joins: the running request may bring what is asked for.
  const refresh = joined(async (signal) => {
    triedAt = clock.now()
    refreshing = true
    try {
      learn(await fetch(signal))
    } finally {
      refreshing = false
    }
  })
  const since = (instant: number) => Math.abs(clock.now() - instant)

  async function all(signal: AbortSignal): Promise<readonly Entry[]> {
    if (entries && since(learntAt) < FRESH_MS) return entries
    if (!entries || refreshing || since(triedAt) >= AGAIN_MS) {
      try {
        await refresh(signal)
      } catch (error) {
        if (!entries || signal.aborted) throw error
      }
    }
    return entries ?? []
  }

  async function find(serial: string, signal: AbortSignal): Promise<readonly Entry[]> {
    const known = (list: readonly Entry[]) => list.filter((entry) => entry.serial === serial)
    const found = known(await all(signal))
    if (found.length > 0 || (!refreshing && since(triedAt) < AGAIN_MS)) return found
    learntAt = Number.NEGATIVE_INFINITY
    return known(await all(signal))
  }

  const one = async (serial: string, base: string, signal: AbortSignal) =>
    (await find(serial, signal)).find((entry) => entry.base === base)

  return {
    all,
    find,
    learn,
    describe: async (serial, base, signal) => nameAndGroup(await one(serial, base, signal)),
    async utcOffset(serial, base, signal) {
      const entry = await one(serial, base, signal)
      if (!entry) throw new EnvlogError('device-unknown', { serial }, { serial, base })
      return entry.utcOffset
    },
  }
}

function nameAndGroup(entry: Entry | undefined): Pick<Entry, 'name' | 'group'> {
  return { name: entry?.name ?? '', group: entry?.group ?? '' }
}
