import type { Limit } from '../../shared/limits-schema'
import type { Clock } from '../clock'
import type { AlarmList } from './alarm-list'
import { Condition } from './condition'
import { type Channel, type Device, measures } from './matching'

/** How often limits are compared with the devices, and how long all devices may take to arrive. */
const INTERVAL_MS = 60_000
const MAX_GATHERING_MS = 3_600_000
/** Maximum number of names in a text. */
const MAX_NAMES = 10
/** Stands for further names. */
const MORE = '…'

interface WholeDevice extends Device {
  channels: readonly Channel[]
}

/** Reports the limits that no device matches (docs/judging.md, *Limits that no device matches*). */
export class NoMatch {
  readonly condition = new Condition('no-match', {})
  readonly #alarms: AlarmList
  readonly #clock: Clock
  readonly #gatheringMs: number
  /** When devices began to arrive, and when the limits were last compared with them, monotonic ms. */
  #gatheringSince: number
  #judgedAt = Number.NEGATIVE_INFINITY

  constructor(alarms: AlarmList, clock: Clock, silentAfterMs: number) {
    this.#alarms = alarms
    this.#clock = clock
    this.#gatheringMs = Math.min(silentAfterMs, MAX_GATHERING_MS)
    this.#gatheringSince = clock.monotonic()
  }

  /** Waits for all devices again, because data was away, or devices were forgotten. */
  gather(): void {
    this.#gatheringSince = this.#clock.monotonic()
  }

  /** @param dataAt when a measurement last arrived, monotonic ms: while nothing arrives, no device can match */
  judge(limits: readonly Limit[], devices: readonly WholeDevice[], dataAt: number): void {
    const { condition } = this
    if (this.#clock.monotonic() - this.#judgedAt < INTERVAL_MS) return
    this.#judgedAt = this.#clock.monotonic()
    const missing = unmatched(limits, devices)
    if (missing === null && condition.alarm) this.#alarms.end(condition, this.#clock.now())
    if (dataAt - this.#gatheringSince < this.#gatheringMs) return
    if (missing !== null && hasMore(missing, condition.alarm?.detail ?? null)) {
      this.#alarms.beginAlarm(condition, this.#clock.now(), missing)
    } else this.#alarms.setDetail(condition, missing)
    this.#alarms.noteState(condition)
  }
}

/**
 * What no device matches, with the names of the limits: a misspelt or replaced device, a renamed group, a quantity that
 * no device measures, …; `null` if there is nothing.
 */
function unmatched(limits: readonly Limit[], devices: readonly WholeDevice[]): string | null {
  const find = createFinder(devices)
  const names = limits.flatMap((limit) =>
    unmatchedParts(limit, find).map((part) => `${limit.name || 'limit'}: ${part}`),
  )
  if (names.length > MAX_NAMES) names.splice(MAX_NAMES, names.length, MORE)
  return names.join(', ') || null
}

/** Whether a text of `unmatched` names something that an earlier one neither names nor stands for. */
function hasMore(text: string, before: string | null): boolean {
  const known = before?.split(', ') ?? []
  return !known.includes(MORE) && text.split(', ').some((name) => !known.includes(name))
}

/** Part of the choice of a limit, and the devices that match it. */
interface Part {
  name: string
  found: readonly WholeDevice[]
}

function unmatchedParts(limit: Limit, find: Finder): string[] {
  const { select, channel, quantity } = limit
  const parts = find(limit)
  const missing = parts.filter(({ found }) => found.length === 0 && select !== 'all').map(({ name }) => name)
  const has = (test: (measured: Channel) => boolean) =>
    parts.some(({ found }) => found.some(({ channels }) => channels.some(test)))
  if (missing.length === parts.length || has((measured) => measures(limit, measured))) return missing
  // A limit for all devices may be for a quantity that none has, unless a channel of an unknown quantity is meant.
  const isMeant = (measured: Channel) => channel === null && measured.quantity === null
  if (select === 'all' && !has(isMeant)) return missing
  return [...missing, channel === null ? (quantity ?? 'temperature') : `ch${channel}`]
}

type Finder = (limit: Limit) => Part[]

/** Finds devices without searching all of them, because there may be thousands, and as many limits. */
function createFinder(devices: readonly WholeDevice[]): Finder {
  const by = (keyOf: (device: WholeDevice) => string | null) => {
    const found = new Map<string, WholeDevice[]>()
    for (const device of devices) {
      const key = keyOf(device)
      if (key === null) continue
      const others = found.get(key)
      if (others) others.push(device)
      else found.set(key, [device])
    }
    return (name: string): Part => ({ name, found: found.get(name) ?? [] })
  }
  const [ofSerial, ofBase, ofGroup] = [
    by(({ serial }) => serial),
    by(({ base }) => base),
    by(({ group }) => group),
  ]
  const ofDevice = ({ serial, base }: Limit['devices'][number]): Part => ({
    name: serial,
    found: ofSerial(serial).found.filter((device) => device.base === (base ?? device.base)),
  })
  return ({ select, devices: named, bases, groups }) => {
    if (select === 'all') return [{ name: '', found: devices }]
    if (select === 'group') return groups.map(ofGroup)
    return [...(select === 'list' ? named.map(ofDevice) : []), ...bases.map(ofBase)]
  }
}
