/**
 * Prints how well alarms are told after an outage: simulated freezers, one record a minute, whose records arrive as from
 * *latest records* every 10 minutes (after the outage the newest 300 first, then pages of older ones), compared with a
 * scan of the whole series.
 *
 *     npx tsx scripts/outages.ts [outages per cell, 400 by default]
 */
import type { LimitEvent } from '../src/lib/limits/event'
import { createRandom, type Random } from '../test/support/chance'
import { createVirtualClock } from '../test/support/clock'
import { AT_8, MINUTE, Monitoring, readingOf, seriesOf } from '../test/support/limits/monitoring'
import { findAlarms, type OracleAlarm, type OracleValue } from '../test/support/limits/oracle'

const OUTAGES = Number(process.argv[2] ?? 400)
const DAY = 24 * 60
/** Records in the first response after an outage, and in a page of older ones. */
const NEWEST = 300
const PAGE = 1500
/** Minutes before and after an outage: simulated, and compared. */
const AROUND = 300
const COMPARED = 180
/** Minutes between requests. */
const REPEAT = 10
/** A begin or an end that differs by more is wrong. */
const TOLERANCE_MS = 5 * MINUTE

const timeOf = (minute: number) => AT_8 + minute * MINUTE
const minuteOf = (value: OracleValue | undefined) => ((value?.time ?? AT_8) - AT_8) / MINUTE
const limitOf = (minutes: number) => ({ name: 'too warm', above: -15, below: null, minutes, margin: 1 })

/** Minutes from and until when a freezer is too warm. */
type Warm = readonly [from: number, until: number]

/** A day of work: 8 openings of 2 to 15 minutes, a loading of 20 to 90, and three defrosts of 18 to 28. */
function workday(random: Random, day: number): Warm[] {
  const lengths = [
    ...Array.from({ length: 8 }, () => 2 + random.below(14)),
    20 + random.below(71),
    ...Array.from({ length: 3 }, () => 18 + random.below(11)),
  ]
  return lengths.map((length) => {
    const from = day * DAY + random.below(DAY)
    return [from, from + length]
  })
}

/** In a power cut, a freezer is too warm 1 to 4 hours later, and until 20 to 90 minutes after it. */
function powerCut(random: Random, begin: number, end: number): Warm {
  return [begin + 60 + random.below(181), end + 20 + random.below(71)]
}

/** A value for each minute. The first hour is cold. */
function valuesOf(random: Random, warm: readonly Warm[], count: number): OracleValue[] {
  const isWarm = new Set(
    warm.flatMap(([from, until]) => Array.from({ length: Math.max(0, until - from) }, (_, at) => from + at)),
  )
  return Array.from({ length: count }, (_, minute) => ({
    time: timeOf(minute),
    value: (minute >= 60 && isWarm.has(minute) ? -8 : -18) + Math.round(random.next() * 10 - 5) / 10,
  }))
}

/** A monitor, and what it told: the last event of each id, and how many events it sent. */
class Told {
  readonly last = new Map<string, LimitEvent>()
  count = 0
  #revised = new Set<string>()
  #repeated = 0
  readonly #node: Monitoring
  readonly #clock = createVirtualClock(1000.25, AT_8)

  constructor(minutes: number) {
    const never = { errorAfterMs: Number.POSITIVE_INFINITY, silentAfterMs: Number.POSITIVE_INFINITY }
    this.#node = new Monitoring([limitOf(minutes)], { ...never, battery: false }, this.#clock)
  }

  /** @param now the minute in which they arrive */
  receive(now: number, values: readonly OracleValue[]): void {
    this.#note(now, seriesOf(values.map(({ time, value }) => [time, value])))
  }

  /** Each when it is measured. */
  receiveInOrder(values: readonly OracleValue[]): void {
    for (let from = 0; from < values.length; from += REPEAT) {
      const block = values.slice(from, from + REPEAT)
      this.receive(minuteOf(block.at(-1)), block)
    }
  }

  receiveCurrent(now: number, { time, value }: OracleValue): void {
    this.#note(now, readingOf(time, value))
  }

  get revised(): number {
    return this.#revised.size
  }

  get repeated(): number {
    return this.#repeated
  }

  /** The alarms that were told, without those that were put right. */
  alarms(limitMinutes: number): OracleAlarm[] {
    const lasting = new Map(this.#node.monitor.alarms.alarms().map(({ event }) => [event.id, event]))
    return [...this.last.values()].flatMap((event) => {
      if (event.revised && Number(event.minutes) <= limitMinutes) return []
      const { from, until, minutes, extreme, condition } = lasting.get(event.id) ?? event
      const begin = Date.parse(`${from}`)
      // Of what ended without a known end, only a length was told.
      const known = event.state === 'ended' ? begin + Number(minutes) * MINUTE : null
      const end = until === null ? known : Date.parse(until)
      return [{ from: begin, until: end, extreme, condition } as OracleAlarm]
    })
  }

  #note(now: number, payload: unknown): void {
    this.#clock.advance(timeOf(now) - this.#clock.now())
    for (const event of this.#node.receive(payload)) {
      const id = `${event.id}`
      const before = this.last.get(id)
      if (event.revised) this.#revised.add(id)
      else if (before && !(before.state === 'alarm' && event.state === 'normal')) this.#repeated++
      this.last.set(id, event)
      this.count++
    }
  }
}

const FAULTS = ['missed', 'false', 'in parts', 'begin', 'end'] as const
type Faults = Record<(typeof FAULTS)[number], number>
const noFaults = (): Faults => ({ missed: 0, false: 0, 'in parts': 0, begin: 0, end: 0 })

const endOf = ({ until }: OracleAlarm) => until ?? Number.POSITIVE_INFINITY
const overlaps = (a: OracleAlarm, b: OracleAlarm) => a.from < endOf(b) && b.from < endOf(a)
const differ = (a: number, b: number) => a !== b && Math.abs(a - b) > TOLERANCE_MS

/** What is wrong with what was told of a period. */
function compare(told: readonly OracleAlarm[], alarms: readonly OracleAlarm[], period: OracleAlarm): Faults {
  const faults = noFaults()
  for (const alarm of alarms.filter((each) => overlaps(each, period))) {
    const parts = told.filter((each) => overlaps(each, alarm))
    if (parts.length === 0) {
      faults.missed++
      continue
    }
    faults['in parts'] += parts.length - 1
    if (differ(Math.min(...parts.map(({ from }) => from)), alarm.from)) faults.begin++
    if (differ(Math.max(...parts.map(endOf)), endOf(alarm))) faults.end++
  }
  const isFalse = (each: OracleAlarm) =>
    overlaps(each, period) && !alarms.some((alarm) => overlaps(each, alarm))
  faults.false = told.filter(isFalse).length
  return faults
}

const periodOf = (from: number, until: number): OracleAlarm => ({
  from: timeOf(from),
  until: timeOf(until),
  condition: 'above',
  extreme: 0,
})

const isFaulty = (faults: Faults) => FAULTS.some((fault) => faults[fault] > 0)

/** An outage of a freezer in a plant of this kind. */
function outage(random: Random, plant: string, hours: number, minutes: number) {
  const begin = AROUND
  const end = begin + hours * 60
  const count = end + AROUND
  const warm = Array.from({ length: Math.ceil(count / DAY) }, (_, day) => workday(random, day)).flat()
  if (plant === 'power') warm.push(powerCut(random, begin, end))
  const values = valuesOf(random, warm, count)
  const told = new Told(minutes)
  told.receiveInOrder(values.slice(0, begin))
  const newest = Math.max(begin, end - NEWEST)
  told.receive(end, values.slice(newest, end))
  for (let until = newest; until > begin; until -= PAGE)
    told.receive(end, values.slice(Math.max(begin, until - PAGE), until))
  told.receiveInOrder(values.slice(end))
  const alarms = findAlarms(values, limitOf(minutes))
  const faults = compare(told.alarms(minutes), alarms, periodOf(begin - COMPARED, end + COMPARED))
  return { faults, isRevised: told.revised > 0 }
}

function cell(plant: string, hours: number, minutes: number): string {
  const random = createRandom(`${plant} ${hours} ${minutes}`)
  const sum = noFaults()
  let faulty = 0
  let revised = 0
  for (let index = 0; index < OUTAGES; index++) {
    const { faults, isRevised } = outage(random, plant, hours, minutes)
    for (const fault of FAULTS) sum[fault] += faults[fault]
    if (isFaulty(faults)) faulty++
    if (isRevised) revised++
  }
  const percents = [faulty, ...FAULTS.map((fault) => sum[fault]), revised]
  return percents.map((number) => ((number / OUTAGES) * 100).toFixed(1).padStart(10)).join('')
}

function printOutages(): void {
  console.log(
    `Of ${OUTAGES} outages each, per cent with: anything wrong; alarms missed, false, told in parts, with a begin`,
  )
  console.log(
    'or an end that is wrong by more than 5 minutes (several are possible); and something put right later.\n',
  )
  console.log(
    `plant   For  outage${['wrong', ...FAULTS, 'put right'].map((head) => head.padStart(10)).join('')}`,
  )
  for (const plant of ['door', 'power'])
    for (const minutes of [10, 30, 60])
      for (const hours of [1, 4, 5.25, 6, 8, 12])
        console.log(
          `${plant.padEnd(6)} ${`${minutes}`.padStart(4)} ${`${hours} h`.padStart(7)}${cell(plant, hours, minutes)}`,
        )
}

/** Compares what was told of a long series. */
function printSeries(title: string, told: Told, values: readonly OracleValue[], minutes: number): void {
  const alarms = findAlarms(values, limitOf(minutes))
  const faults = compare(told.alarms(minutes), alarms, periodOf(0, values.length))
  const parts = FAULTS.map((fault) => `${faults[fault]} ${fault}`).join(', ')
  console.log(
    `${title}: ${alarms.length} alarms, ${told.count} events, ${parts}, ${told.revised} put right, ${told.repeated} repeated`,
  )
}

/** *current readings* every 10 minutes and *latest records* every hour at one node. */
function twoSources(days: number, minutes: number): void {
  const random = createRandom('two sources')
  const warm = Array.from({ length: days }, (_, day) => workday(random, day)).flat()
  const values = valuesOf(random, warm, days * DAY)
  const told = new Told(minutes)
  told.receive(10, values.slice(0, 10))
  for (let minute = 10; minute < values.length; minute++) {
    if (minute % 10 === 9) told.receiveCurrent(minute, values[minute] as OracleValue)
    if (minute % 60 === 59) told.receive(minute, values.slice(minute - 59, minute + 1))
  }
  printSeries(`Two sources, For ${minutes}`, told, values, minutes)
}

/** A record a minute, and the last 7 days again every night. */
function sentAgain(days: number, minutes: number): void {
  const random = createRandom('sent again')
  const warm = Array.from({ length: days }, (_, day) => workday(random, day)).flat()
  const values = valuesOf(random, warm, days * DAY)
  const told = new Told(minutes)
  for (let end = DAY; end <= values.length; end += DAY) {
    told.receiveInOrder(values.slice(end - DAY, end))
    told.receive(end, values.slice(Math.max(0, end - 7 * DAY), end))
  }
  printSeries(
    `The last 7 days sent again every night for ${days} days, For ${minutes}`,
    told,
    values,
    minutes,
  )
}

printOutages()
console.log()
for (const minutes of [10, 30]) twoSources(150, minutes)
for (const minutes of [10, 30]) sentAgain(14, minutes)
