/** Formats the results: three tables, and the goals that were missed. */
import type { System } from './flows'
import type { Judging } from './judging'
import type { Result } from './measure'

/** Longer stops would be noticeable in other flows. */
const MAX_STOP_MS = 40
const MAX_MEMORY_MB = 8
/** The records of the same period alone: 37. */
const MAX_PEAK_MB = 55
/**
 * Of *limits*: time in relation to `JSON.parse`, bytes for each channel and limit without a hole and with one. The first
 * message creates what is known of each channel, by code that has never run before.
 */
const JUDGING_GOALS = { first: 9, ratio: 1.5, bytes: [230, 350], growth: 1 }

interface Row {
  figure: string
  cells: string[]
  value: number
  goal: number
}

export function createReport(
  results: readonly Result[],
  memory: readonly number[],
  peak: readonly number[],
  judging: readonly Judging[],
): string {
  const times = results.map(timeRow)
  const others = [
    ...results.map(stopRow),
    ...memoryRows('memory after the first poll of 10 devices over idle Node-RED', memory, MAX_MEMORY_MB),
    ...memoryRows('peak of a report of 60 devices over the same Node-RED before it', peak, MAX_PEAK_MB),
  ]
  const judged = judging.flatMap(judgingRows)
  const rows = [...times, ...others, ...judged]
  const missed = rows.filter((row) => !isMet(row)).map(({ figure }) => figure)
  return [
    table(
      ['time', 'floor, ms', 'ours × floor', 'hand-built × floor', 'processor', 'ours over hand-built'],
      times,
    ),
    table(['stops, ms, and memory, MB', 'hand-built', 'ours'], others),
    table(['limits: 10,000 channels with two rows', 'ours'], judged),
    `${rows.length - missed.length} of ${rows.length} goals met; missed: ${missed.join('; ') || 'none'}`,
  ].join('\n\n')
}

function timeRow({ benchCase: { name, goal }, runs }: Result): Row {
  const ratio = (system: System, to: System, key: 'wall' | 'processor' = 'wall') =>
    median(runs[system].map((run, round) => run[key] / (runs[to][round]?.[key] ?? Number.NaN)))
  const floor = median(runs.floor.map(({ wall }) => wall))
  const value = ratio('ours', 'hand')
  const cells = [
    floor,
    ratio('ours', 'floor'),
    ratio('hand', 'floor'),
    ratio('ours', 'hand', 'processor'),
    value,
  ].map(text)
  return { figure: name, cells, value, goal }
}

function stopRow({ benchCase: { name }, runs }: Result): Row {
  const stopOf = (system: System) => median(runs[system].map(({ stop }) => stop))
  const value = stopOf('ours')
  return {
    figure: `longest stop, ${name}`,
    cells: [text(stopOf('hand')), text(value)],
    value,
    goal: MAX_STOP_MS,
  }
}

function memoryRows(figure: string, memory: readonly number[], goal: number): Row[] {
  if (memory.length === 0) return []
  const value = median(memory)
  return [{ figure, cells: ['', text(value)], value, goal }]
}

function judgingRows({ first, ratio, bytes, heap }: Judging, index: number): Row[] {
  const which = index === 0 ? '' : ', each with a hole'
  const row = (figure: string, value: number, goal: number) => ({ figure, cells: [text(value)], value, goal })
  const goals = JUDGING_GOALS
  return [
    // The second measurement is in the same process, whose code is warm.
    ...(index === 0 ? [row('first message × JSON.parse', first, goals.first)] : []),
    row(`message × JSON.parse${which}`, ratio, goals.ratio),
    row(`saved bytes of a channel and row${which}`, bytes, goals.bytes[index] ?? Number.NaN),
    row(`growth of the heap in 120 messages, MB${which}`, heap[1] - heap[0], goals.growth),
  ]
}

function table(head: readonly string[], rows: readonly Row[]): string {
  const titles = [...head, 'goal']
  const lines = rows.map((row) => [row.figure, ...row.cells, verdict(row)])
  const rule = titles.map((_, index) => (index === 0 ? '---' : '--:'))
  return [titles, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const isMet = ({ value, goal }: Row) => value <= goal
const verdict = (row: Row) => `≤ ${text(row.goal)}: ${isMet(row) ? 'met' : '**missed**'}`
const text = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [lower = Number.NaN, upper = lower] = sorted.slice((sorted.length - 1) >> 1)
  return sorted.length % 2 === 1 ? lower : (lower + upper) / 2
}
