/**
 * Stories of the values of one channel that do not arrive in the order of their times: in blocks that change places,
 * with measurements that were lost and arrive later, from two sources, or again, and with restarts in between.
 */
import * as fc from 'fast-check'
import { createRandom, type Random } from '../chance'
import { MINUTE } from './monitoring'
import type { OracleLimit } from './oracle'

export type Value = number | 'E1' | null

interface Message {
  /** `current` is a current reading of one measurement, as from a second source. */
  kind: 'records' | 'current'
  /** Which measurements it contains. */
  places: readonly number[]
  after: 'continue' | 'restart' | 'kill'
}

export interface Story {
  limits: readonly OracleLimit[]
  /** Times of the measurements, ms after the first. */
  times: readonly number[]
  values: readonly Value[]
  messages: readonly Message[]
}

/** Measurements in the first message: inside all limits, so that the channel and its usual interval are known. */
const FIRST = 4
const MAX_HOLES = 20

const limits: fc.Arbitrary<OracleLimit> = fc
  .record({
    sides: fc.constantFrom('above', 'below', 'both'),
    distance: fc.integer({ min: 3, max: 5 }),
    minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 60 })),
    margin: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ sides, distance, minutes, margin }) => ({
    above: sides === 'below' ? null : distance,
    below: sides === 'above' ? null : -distance,
    minutes,
    margin,
  }))

const near = fc.integer({ min: -7, max: 7 })
/** Values near the limits, plausible curves, and missing ones. */
const stretch: fc.Arbitrary<Value[]> = fc.oneof(
  { weight: 3, arbitrary: fc.array(near, { minLength: 1, maxLength: 8 }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(near, near, fc.integer({ min: 1, max: 40 }))
      .map(([from, to, count]) =>
        Array.from(
          { length: count },
          (_, index) => Math.round((from + ((to - from) * index) / count) * 2) / 2,
        ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('E1' as const, null), fc.integer({ min: 1, max: 4 }))
      .map(([value, count]) => Array.from({ length: count }, () => value)),
  },
)

const order = fc.constantFrom('in order', 'neighbours swapped', 'shuffled', 'newest first')
const cuts = fc.array(
  fc.oneof(fc.integer({ min: 3, max: 8 }), fc.integer({ min: 3, max: 40 }), fc.integer({ min: 3, max: 200 })),
  { minLength: 1, maxLength: 14, size: 'max' },
)

const plan = fc.record({
  limits: fc.array(limits, { minLength: 1, maxLength: 2 }),
  interval: fc.constantFrom(1, 2, 5, 10, 60),
  /** Per cent of the interval by which times differ. */
  jitter: fc.constantFrom(0, 3),
  stretches: fc.array(stretch, { minLength: 1, maxLength: 16, size: 'max' }),
  order,
  cuts,
  /** Measurements that are lost together, and arrive one by one. */
  lost: fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 2, max: 5 })), { maxLength: 4 }),
  /** A second source brings every n-th measurement alone as soon as it is measured. */
  currentEvery: fc.option(fc.integer({ min: 3, max: 30 }), { nil: 0 }),
  /** Blocks that arrive once more. */
  again: fc.array(fc.nat(20), { maxLength: 2 }),
  after: fc.array(fc.constantFrom('continue', 'continue', 'restart', 'kill'), { minLength: 1, maxLength: 7 }),
  seed: fc.nat(1000),
})
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
type Block = readonly number[]

export const stories: fc.Arbitrary<Story> = plan.map(toStory).filter(isPromised)

function toStory(made: Plan): Story {
  const random = createRandom(made.seed)
  const values = [...Array.from({ length: FIRST }, () => 0), ...made.stretches.flat()]
  const shift = () => (random.next() - 0.5) * 2 * made.jitter
  const times = values.map((_, place) => Math.round((place + shift() / 100) * made.interval * MINUTE))
  const blocks = toBlocks(values.length, made.cuts)
  const lost = findLost(blocks, made.lost)
  const messages: Omit<Message, 'after'>[] = ordered(blocks, made.order, random)
    .map((block) => block.filter((place) => !lost.has(place)))
    .filter((places) => places.length > 0)
    .map((places) => ({ kind: 'records', places }))
  insertLost(messages, lost, random)
  if (made.currentEvery > 0) insertCurrent(messages, blocks, made.currentEvery)
  for (const number of made.again) {
    const places = blocks[number % blocks.length] as Block
    const known = messages.findIndex((message) => message.places.some((place) => places.includes(place)))
    messages.splice(random.below(messages.length - known) + known + 1, 0, { kind: 'records', places })
  }
  const first = { kind: 'records' as const, places: rangeOf(0, FIRST) }
  const { after } = made
  const all = [first, ...messages].map((message, index) => ({
    ...message,
    after: after[index % after.length] as Message['after'],
  }))
  return { limits: made.limits, times, values, messages: all }
}

const rangeOf = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => from + index)

/** Successive measurements, at least three each. */
function toBlocks(count: number, sizes: readonly number[]): Block[] {
  const blocks: Block[] = []
  for (let from = FIRST; from < count; ) {
    const size = sizes[blocks.length] ?? count
    const until = count - from - size < 3 ? count : from + size
    blocks.push(rangeOf(from, until))
    from = until
  }
  return blocks
}

function ordered(blocks: readonly Block[], name: string, random: Random): readonly Block[] {
  if (name === 'newest first') return blocks.toReversed()
  if (name === 'shuffled') return random.shuffled(blocks)
  const result = [...blocks]
  if (name === 'neighbours swapped')
    for (let index = 1; index < result.length; index += random.pick([1, 2, 3]))
      result.splice(index - 1, 2, result[index] as Block, result[index - 1] as Block)
  return result
}

/** Lost measurements. Most pauses of each block stay regular, so that its median pause is the usual one. */
function findLost(blocks: readonly Block[], wanted: readonly (readonly [at: number, count: number])[]) {
  const count = FIRST + blocks.flat().length
  const lost = new Set<number>()
  for (const [at, size] of wanted) {
    const from = FIRST + (at % (count - FIRST))
    const next = new Set([...lost, ...rangeOf(from, Math.min(count, from + size))])
    if (blocks.every((block) => isRegular(block.filter((place) => !next.has(place)))))
      for (const place of next) lost.add(place)
  }
  return lost
}

function isRegular(places: readonly number[]): boolean {
  const pauses = places.slice(1).map((place, index) => place - (places[index] as number))
  return pauses.length < 2 || pauses.filter((pause) => pause > 1).length * 2 < pauses.length
}

/** Each arrives at some time after the block that it was lost from. */
function insertLost(messages: Omit<Message, 'after'>[], lost: ReadonlySet<number>, random: Random): void {
  for (const place of random.shuffled([...lost])) {
    const beside = messages.findLastIndex(({ places }) =>
      places.some((other) => !lost.has(other) && Math.abs(other - place) <= 8),
    )
    const at = beside + 1 + random.below(messages.length - beside)
    messages.splice(at, 0, { kind: 'records', places: [place] })
  }
}

/** They arrive before the first block that contains something newer, and not so close to known ones that no hole is between. */
function insertCurrent(messages: Omit<Message, 'after'>[], blocks: readonly Block[], every: number): void {
  const isWanted = (place: number, index: number, block: Block) =>
    place % every === 0 && index >= 2 && block.length - index > 2
  for (const place of blocks.flatMap((block) =>
    block.filter((each, index) => isWanted(each, index, block)),
  )) {
    const at = messages.findIndex(
      ({ kind, places }) => kind === 'records' && places.some((other) => other >= place),
    )
    if (at >= 0) messages.splice(at, 0, { kind: 'current', places: [place] })
  }
}

/**
 * Whether the contract promises that all values are judged: there are never more than 20 holes, and a value never fills a
 * pause that is too short to be one.
 */
function isPromised({ messages }: Story): boolean {
  const known = new Set<number>()
  const holes = new Set<number>()
  for (const { places, after } of messages) {
    const areJudged = places.toSorted((a, b) => a - b).every((place) => addPlace(place, known, holes))
    const begins = [...holes].filter((place) => !holes.has(place - 1))
    // After a kill, what was inside and not yet saved may be one more.
    if (!areJudged || begins.length + (after === 'kill' ? 1 : 0) > MAX_HOLES) return false
  }
  return true
}

/** @returns whether the measurement is judged */
function addPlace(place: number, known: Set<number>, holes: Set<number>): boolean {
  let newest = -1
  for (const one of known) if (one > newest) newest = one
  const isJudged = place > newest || known.has(place) || holes.has(place)
  if (place - newest > 2) for (const missing of rangeOf(newest + 1, place)) holes.add(missing)
  holes.delete(place)
  known.add(place)
  return isJudged
}
