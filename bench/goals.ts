/** The goals, each with its measured figure; goals without a figure are left out. */
import type { Beside } from './beside'
import { median, type Spread, spread } from './figures'
import type { Footprint } from './footprint'
import type { ManyAccounts, Written } from './hour'
import { memory, type Result, ratio, stops } from './measure'
import type { YearFigures } from './memory'
import { type PollResult, processorRatio } from './polls'
import type { StartupCost } from './start'

export interface BenchResults {
  results: readonly Result[]
  polls: readonly PollResult[]
  start: StartupCost | undefined
  footprint: Footprint | undefined
  written: Written | null | undefined
  accounts: ManyAccounts | undefined
  beside: Beside | undefined
  year: YearFigures | undefined
}

export interface Goal {
  text: string
  figure: string
  isMet: boolean
}

const RANGES = ['65535x4', '16000x2']
const nf = (value: number, digits = 2) => value.toFixed(digits)

export function goalsOf({
  results,
  polls,
  start,
  footprint,
  written,
  accounts,
  beside,
  year,
}: BenchResults): Goal[] {
  const byId = new Map(results.map((result) => [result.one.id, result]))
  const goals: Goal[] = []
  /** Adds a goal of a case, if the case was measured. */
  const goal = (id: string, text: string, most: number, figure: (result: Result) => number, unit = '') => {
    const result = byId.get(id)
    if (!result) return
    const value = figure(result)
    if (Number.isNaN(value)) return
    goals.push({
      text: `${result.one.name}: ${text} ≤ ${nf(most)}${unit}`,
      figure: nf(value) + unit,
      isMet: value <= most,
    })
  }
  const times = (key: 'wall' | 'processor') => (result: Result) => ratio(result, key, 'ours', 'floor').median
  const againstHand = (result: Result) => ratio(result, 'wall', 'ours', 'hand').median

  for (const size of RANGES) {
    const id = `range-${size}-readings-device`
    goal(id, 'wall over floor', 1.5, times('wall'))
    goal(id, 'processor over floor', 1.6, times('processor'))
  }
  for (const size of RANGES) {
    goal(`range-${size}-text-readings-device`, 'wall over its floor', 1.6, times('wall'))
  }
  goals.push(...stopGoals(results))
  for (const made of ['rows-device', 'readings-each']) {
    goal(`range-65535x4-${made}`, 'wall over hand-built flow', 1 / 3, againstHand)
  }
  goal('range-65535x4-readings-device', 'peak memory over the floor’s', 60, overFloor, ' MB')
  const peak = (result: Result) => memory(result, 'ours')?.median ?? Number.NaN
  goal('range-65535x4-rows-chunk', 'peak memory over idle', 60, peak, ' MB')
  for (const devices of [1000, 5000]) {
    goal(`current-${devices}-readings-all`, 'wall over floor', 1.6, times('wall'))
  }
  const small = ['current-10-readings-all', 'latest-standalone-readings-device']
  for (const id of [...small, 'latest-remote-readings-device', 'alerts-readings-device']) {
    goal(id, 'wall over floor', 1.9, times('wall'))
    goal(id, 'wall over a floor with fetch', 1.5, (result) => ratio(result, 'wall', 'ours', 'fetch').median)
  }
  goals.push(...polls.flatMap(pollGoals))
  if (start) goals.push(...startGoals(start))
  if (footprint) goals.push(...footprintGoals(footprint))
  if (written) goals.push(...writtenGoals(written))
  if (accounts) goals.push(...accountGoals(accounts))
  if (beside) goals.push(besideGoal(beside))
  if (year) goals.push(...yearGoals(year))
  return goals
}

function overFloor(result: Result): number {
  const [ours, floor] = [memory(result, 'ours'), memory(result, 'floor')]
  return ours && floor ? ours.median - floor.median : Number.NaN
}

/** Goals over all cases. */
function stopGoals(results: readonly Result[]): Goal[] {
  const highest = (text: string, most: number, figure: (result: Result) => number): Goal[] => {
    const [worst] = results.toSorted((a, b) => figure(b) - figure(a))
    if (!worst) return []
    const value = figure(worst)
    const missed = results.filter((result) => figure(result) > most).length
    const figureText = `${nf(value, 1)} ms (${worst.one.name}); ${missed} of ${results.length} cases above`
    return [
      { text: `longest stop of the event loop, any case: ${text}`, figure: figureText, isMet: value <= most },
    ]
  }
  return [
    ...highest('median ≤ 10 ms', 10, (result) => stops(result, 'ours').median),
    ...highest('worst ≤ 20 ms', 20, (result) => stops(result, 'ours').max),
  ]
}

function startGoals({ ms, dependencies }: StartupCost): Goal[] {
  return [
    {
      text: 'cold load of all nodes ≤ 60 ms over an empty process',
      figure: `${nf(ms, 1)} ms`,
      isMet: ms <= 60,
    },
    {
      text: 'cold load of all nodes: nothing of undici or valibot',
      figure: dependencies.join(', ') || 'nothing',
      isMet: dependencies.length === 0,
    },
  ]
}

function pollGoals(result: PollResult): Goal[] {
  const { name, most } = result.one
  const stopped = spread(result.ours.map(({ stop }) => stop))
  const ratio = processorRatio(result).median
  return [
    ...(most === undefined
      ? []
      : [
          {
            text: `${name}: processor over floor ≤ ${nf(most)}`,
            figure: nf(ratio),
            isMet: ratio <= most,
          },
        ]),
    {
      text: `${name}: longest stop, median / worst ≤ 10 / 20 ms`,
      figure: `${nf(stopped.median, 1)} / ${nf(stopped.max, 1)} ms`,
      isMet: stopped.median <= 10 && stopped.max <= 20,
    },
  ]
}

function footprintGoals({ deployed, polled, dependencies }: Footprint): Goal[] {
  return [
    {
      text: 'memory after the first poll of 10 devices over a Node-RED without the package ≤ 9 MB',
      figure: `${nf(polled, 1)} MB, ${nf(deployed, 1)} of them before the poll`,
      isMet: polled <= 9,
    },
    {
      text: 'run-time dependencies ≤ 5 MB',
      figure: `${nf(dependencies, 1)} MB`,
      isMet: dependencies <= 5,
    },
  ]
}

function writtenGoals({ news, nothing }: Written): Goal[] {
  return [
    {
      text: 'an hour of 100 devices, polled each minute, a new record each time, *localfilesystem*: written ≤ 2 MB',
      figure: `${nf(news)} MB`,
      isMet: news <= 2,
    },
    {
      text: 'the same with nothing new: nothing written',
      figure: `${nf(nothing)} MB`,
      isMet: nothing === 0,
    },
  ]
}

function accountGoals({ devices, first, last, stops: found }: ManyAccounts): Goal[] {
  const name = `50 accounts, ${devices} devices, an hour`
  const longest = Math.max(...found)
  return [
    { text: `${name}: heap ≤ 3 kB a device over idle`, figure: `${nf(last)} kB`, isMet: last <= 3 },
    {
      text: `${name}: heap flat from the first round to the last`,
      figure: `${nf(first)}, ${nf(last)} kB`,
      isMet: last <= first * FLAT,
    },
    {
      text: `${name}: no stop above 20 ms`,
      figure: `median ${nf(median(found), 1)}, worst ${nf(longest, 1)} ms`,
      isMet: longest <= 20,
    },
  ]
}

function besideGoal({ alone, polling }: Beside): Goal {
  const [without, found] = [spread(alone), spread(polling)]
  const shown = ({ median: middle, max }: Spread) => `${nf(middle, 1)} / ${nf(max, 1)} ms`
  return {
    text: 'poll of 500 devices, 3 new records each, beside a dashboard and an MQTT flow: longest stop, median / worst ≤ 10 / 20 ms',
    figure: `${shown(found)}; the two flows alone ${shown(without)}`,
    isMet: found.median <= 10 && found.max <= 20,
  }
}

/** A larger ratio between two quarters of a year is more than noise. */
const FLAT = 1.15

function yearGoals(quarters: YearFigures): Goal[] {
  // The first quarter includes the start.
  const [, second, third, last] = quarters
  if (!second || !third || !last) return []
  const byQuarter = (figure: (quarter: YearFigures[number]) => number, digits: number) =>
    quarters.map((quarter) => nf(figure(quarter), digits)).join(', ')
  const processor = last.processor / median([second.processor, third.processor])
  const heap = last.heap / second.heap
  return [
    {
      text: 'a year of 300 devices: processor per record flat',
      figure: `${byQuarter((one) => one.processor, 1)} µs by quarter`,
      isMet: processor <= FLAT,
    },
    {
      text: 'a year of 300 devices: memory flat',
      figure: `heap ${byQuarter((one) => one.heap, 1)} MB by quarter`,
      isMet: heap <= FLAT,
    },
  ]
}
