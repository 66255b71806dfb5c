import { isChannelNumber, MAX_CHANNEL } from '../../shared/action'
import { normalizeUnit, type Quantity, setQuantities } from '../../shared/quantity'
import type { ListedChannel } from '../decode/fields'

/** A measuring input of a device (docs/glossary.md). */
export interface Channel {
  /** The key of its values in records: `ch1` … `ch99`. */
  key: string
  /** The channel number, beginning at 1. */
  number: number
  name: string
  /** As sent by the service, except that temperature units are always `°C` or `°F`. */
  unit: string
  /** The measured quantity; `null` if it cannot be derived from the units. */
  quantity: Quantity | null
}

const KEY = /^ch([1-9]\d?)$/

/** Parses the channel number from a record's key; `undefined` for other keys. */
export function parseChannelNumber(key: string): number | undefined {
  const digits = KEY.exec(key)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Creates the channels of a device, sorted by number, from those that a response lists and those of its records. The
 * list is numbered from 0 if it contains 0, or if its numbers match those of the records only after adding 1
 * (docs/service.md, *Fields*). A channel without a number gets its position in the list. A duplicate number is replaced
 * by the next free number.
 * @param create gets no entry for a channel that occurs only in records
 * @param recorded numbers of the channels in the records
 */
export function matchChannels<C extends Channel>(
  listed: readonly ListedChannel[],
  create: (number: number, entry?: ListedChannel) => C,
  recorded = NONE,
): C[] {
  const channels = numberChannels(listed, recorded, create)
  setQuantities(channels)
  return channels
}

function numberChannels<C>(
  listed: readonly ListedChannel[],
  recorded: ReadonlySet<number>,
  create: (number: number, entry?: ListedChannel) => C,
): C[] {
  const first = listed[0]?.num
  const isConsecutive =
    listed.length <= MAX_CHANNEL && listed.every(({ num }, index) => num === (first ?? 0) + index)
  // Nearly all lists, and a response of `current` has thousands.
  if (recorded.size === 0 && (first === 0 || first === 1) && isConsecutive)
    return listed.map((entry, index) => create(index + 1, entry))
  const listedNumbers = listed.flatMap(({ num }) => num ?? [])
  const shift = countsFromZero(listedNumbers, recorded) ? 1 : 0
  const byNumber = new Map<number, ListedChannel | undefined>()
  const duplicates: [number, ListedChannel][] = []
  listed.forEach((entry, index) => {
    const number = entry.num === null ? index + 1 : entry.num + shift
    if (!isChannelNumber(number)) return
    if (byNumber.has(number)) duplicates.push([number, entry])
    else byNumber.set(number, entry)
  })
  for (const [number, entry] of duplicates) {
    let nextFree = number
    while (byNumber.has(nextFree)) nextFree++
    if (nextFree <= MAX_CHANNEL) byNumber.set(nextFree, entry)
  }
  for (const number of recorded) if (!byNumber.has(number)) byNumber.set(number, undefined)
  const numbers = [...byNumber.keys()].sort((a, b) => a - b)
  return numbers.map((number) => create(number, byNumber.get(number)))
}

/** @param entry absent for a channel that is not listed in the response */
export function createChannel(number: number, entry?: ListedChannel): Channel {
  const key = `ch${number}`
  return { key, number, name: entry?.name || key, unit: normalizeUnit(entry?.unit ?? ''), quantity: null }
}

function countsFromZero(numbers: readonly number[], recorded: ReadonlySet<number>): boolean {
  if (numbers.includes(0)) return true
  const matches = (shift: number) => numbers.every((number) => recorded.has(number + shift))
  return !matches(0) && matches(1)
}
