/**
 * The saved state of an account's quota. Context stores hold what earlier versions wrote, so the names there are a
 * contract: they are mapped here, and nowhere else, to the names of the code. Saved instants are ms since 1970 UTC,
 * those of the code are monotonic ms; `toWallMs` is what to add to the latter for the former.
 */

import type { EndpointName } from '../endpoints'
import { ENDPOINT_NAMES, type RateLimit } from './limits'
import type { IdentifiedEntry, UsageEntry } from './usage-log'
import type { InFlight, LimiterState } from './window-limiter'

/** What of an account's limiters outlives the process. */
export interface AccountState {
  endpoints: Partial<Record<EndpointName, LimiterState>>
  /** Endpoint → the limiters of its devices, by `base/serial`. */
  devices: Partial<Record<EndpointName, [string, LimiterState][]>>
}

/** Whose state it is. */
export interface StateOwner {
  /** The account: the node may have been changed to another account since. */
  account: string
  /** Id of the process that saved it. */
  processId: string
}

export interface PersistedQuota {
  version: 2
  endpoints: Partial<Record<EndpointName, PersistedLimiter>>
  devices: Partial<Record<EndpointName, [string, PersistedLimiter][]>>
  account: string
  /** `processId` */
  run: string
}

export interface PersistedLimiter {
  own: readonly IdentifiedEntry[]
  /** `byOthers` */
  foreign: readonly UsageEntry[]
  inFlight: readonly InFlight[]
  /** `throttledAt` */
  refusedAt: number | null
  /** `serverLimit`; the window in seconds */
  told: { limit: number; window: number } | null
}

/** The state as a store holds it. */
export function toPersistedQuota(
  { endpoints, devices }: AccountState,
  { account, processId }: StateOwner,
  toWallMs: number,
): PersistedQuota {
  const persisted: PersistedQuota = { version: 2, endpoints: {}, devices: {}, account, run: processId }
  for (const name of ENDPOINT_NAMES) {
    const [ofEndpoint, ofDevices] = [endpoints[name], devices[name]]
    if (ofEndpoint) persisted.endpoints[name] = toPersistedLimiter(ofEndpoint, toWallMs)
    if (ofDevices) {
      persisted.devices[name] = ofDevices.map(([device, state]) => [
        device,
        toPersistedLimiter(state, toWallMs),
      ])
    }
  }
  return persisted
}

/** Reads what a store holds, as far as it can be understood; `undefined` if it is of another version or account. */
export function readPersistedQuota(
  value: unknown,
  account: string,
  now: number,
  toWallMs: number,
): { state: AccountState; processId: unknown } | undefined {
  const saved = (value ?? {}) as Partial<PersistedQuota>
  if (saved.version !== 2 || saved.account !== account) return undefined
  const state: AccountState = { endpoints: {}, devices: {} }
  for (const name of ENDPOINT_NAMES) {
    const ofEndpoint = readPersistedLimiter(saved.endpoints?.[name], now, toWallMs)
    if (ofEndpoint) state.endpoints[name] = ofEndpoint
    const ofDevices = readDevices(saved.devices?.[name], now, toWallMs)
    if (ofDevices.length > 0) state.devices[name] = ofDevices
  }
  return { state, processId: saved.run }
}

function readDevices(value: unknown, now: number, toWallMs: number): [string, LimiterState][] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry) => {
    const [device, saved] = Array.isArray(entry) ? entry : []
    const state = typeof device === 'string' ? readPersistedLimiter(saved, now, toWallMs) : undefined
    return state ? [[device, state] as [string, LimiterState]] : []
  })
}

/** A limiter's state as a store holds it. */
export function toPersistedLimiter(state: LimiterState, toWallMs: number): PersistedLimiter {
  const toWall = <T extends UsageEntry>(entry: T) => ({ ...entry, at: Math.round(entry.at + toWallMs) })
  const { own, byOthers, inFlight, throttledAt, serverLimit } = state
  return {
    own: own.map(toWall),
    foreign: byOthers.map(toWall),
    inFlight,
    refusedAt: throttledAt === null ? null : Math.round(throttledAt + toWallMs),
    told: serverLimit && { limit: serverLimit.limit, window: serverLimit.windowSeconds },
  }
}

/**
 * Reads the state of a limiter; `undefined` if it is not valid, for example from an older version. Instants in the
 * future become `now`: the clock was set back meanwhile.
 */
export function readPersistedLimiter(
  value: unknown,
  now: number,
  toWallMs: number,
): LimiterState | undefined {
  if (!isPersistedLimiter(value)) return undefined
  const toMonotonic = (at: number) => Math.min(now, at - toWallMs)
  const { own, foreign, inFlight, refusedAt, told } = value
  return {
    own: own.map(({ id, at, amount }) => ({ id, at: toMonotonic(at), amount })),
    byOthers: foreign.map(({ at, amount }) => ({ at: toMonotonic(at), amount })),
    inFlight: inFlight.map(({ id, amount }) => ({ id, amount })),
    throttledAt: refusedAt === null ? null : toMonotonic(refusedAt),
    serverLimit: told && toRateLimit(told),
  }
}

const toRateLimit = ({ limit, window }: { limit: number; window: number }): RateLimit => ({
  limit,
  windowSeconds: window,
})

function isPersistedLimiter(value: unknown): value is PersistedLimiter {
  if (typeof value !== 'object' || value === null) return false
  const { own, foreign, inFlight, refusedAt, told } = value as Partial<PersistedLimiter>
  return (
    isListOf(own, (one) => isUsage(one) && isIdentified(one)) &&
    isListOf(foreign, isUsage) &&
    isListOf(inFlight, isIdentified) &&
    (refusedAt === null || Number.isFinite(refusedAt)) &&
    (told === null || (isLimit(told?.limit) && isLimit(told?.window)))
  )
}

type Entry = Partial<IdentifiedEntry> | null

const isListOf = (list: unknown, isEntry: (one: Entry) => boolean) =>
  Array.isArray(list) && list.every(isEntry)
const isAmount = (one: unknown) => typeof one === 'number' && Number.isFinite(one) && one >= 0
const isLimit = (one: unknown) => isAmount(one) && Number(one) >= 1
const isUsage = (one: Entry) => Number.isFinite(one?.at) && isAmount(one?.amount)
const isIdentified = (one: Entry) => typeof one?.id === 'string' && isAmount(one?.amount)
