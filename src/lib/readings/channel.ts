import { normalizeUnit, type Quantity, quantitiesOf } from '../../shared/quantity'
import type { ListedChannel } from '../decode/fields'

/** One measured quantity: `key` is what records call it. */
export interface Channel {
  key: string
  /** From 1. */
  number: number
  name: string
  /** Degrees in one spelling; else as the service sends it. */
  unit: string
  /** What it measures; `null` where the unit does not say. */
  quantity: Quantity | null
}

const KEY = /^ch([1-9]\d?)$/
const HIGHEST = 99

/** The channel number of a record's key, or nothing for other keys. */
export function parseChannelNumber(key: string): number | undefined {
  const digits = KEY.exec(key)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A channel and where it was listed; `listed` is absent for one that only records have. */
export interface MatchedChannel<L> {
  channel: Channel
  listed?: L
}

/**
 * The listed channels and those seen in records together, by number; of two with one number the second gets the next
 * that is free. Listed numbers count from zero if one of them is 0, or if only adding one matches the records' keys
 * (docs/service.md, *Fields*); without a number the position counts.
 */
export function matchChannels<L extends ListedChannel>(
  listed: readonly L[],
  seen: ReadonlySet<number> = new Set(),
): MatchedChannel<L>[] {
  if (seen.size === 0 && isInOrder(listed)) {
    const found = listed.map((entry) => ({
      channel: channel((entry.num as number) + 1 - (listed[0]?.num as number), entry.name, entry.unit),
      listed: entry,
    }))
    return withQuantities(found)
  }
  const told = listed.flatMap(({ num }) => num ?? [])
  const shift = countsFromZero(told, seen) ? 1 : 0
  const found = new Map<number, MatchedChannel<L>>()
  const add = (number: number, entry: L) =>
    found.set(number, { channel: channel(number, entry.name, entry.unit), listed: entry })
  const again: [number, L][] = []
  listed.forEach((entry, index) => {
    const number = entry.num === null ? index + 1 : entry.num + shift
    if (!Number.isInteger(number) || number < 1 || number > HIGHEST) return
    if (found.has(number)) again.push([number, entry])
    else add(number, entry)
  })
  for (const [number, entry] of again) {
    let free = number
    while (found.has(free)) free++
    if (free <= HIGHEST) add(free, entry)
  }
  for (const number of seen) {
    if (!found.has(number)) found.set(number, { channel: createUnlistedChannel(number) })
  }
  return withQuantities([...found.values()].sort((a, b) => a.channel.number - b.channel.number))
}

function withQuantities<T extends { channel: Channel }>(found: T[]): T[] {
  setQuantities(found.map(({ channel }) => channel))
  return found
}

/** What the channels of one device measure can only be said of all together. */
export function setQuantities(channels: readonly Channel[]): void {
  const quantities = quantitiesOf(channels.map(({ unit }) => unit))
  for (const [index, one] of channels.entries()) one.quantity = quantities[index] ?? null
}

/** NumberedRecord one by one, from 0 or from 1: nearly all are. */
function isInOrder(listed: readonly ListedChannel[]): boolean {
  const first = listed[0]?.num
  return (first === 0 || first === 1) && listed.every(({ num }, index) => num === first + index)
}

function channel(number: number, name: string, unit: string): Channel {
  const key = `ch${number}`
  return { key, number, name: name === '' ? key : name, unit: normalizeUnit(unit), quantity: null }
}

/** A channel of which only the number is known. */
export function createUnlistedChannel(number: number): Channel {
  return channel(number, '', '')
}

function countsFromZero(numbers: readonly number[], seen: ReadonlySet<number>): boolean {
  if (numbers.includes(0)) return true
  if (numbers.length === 0 || seen.size === 0) return false
  const matches = (shift: number) => numbers.every((number) => seen.has(number + shift))
  return !matches(0) && matches(1)
}
