/** Formats the results: two tables, and the goals that were missed. */
import { importCase } from './cases'
import type { System } from './flows'
import { type Judged, limitsCase } from './limits'
import type { Result } from './measure'
import type { Measurement } from './probe'

/** Longer stops would be noticeable in other flows. */
const MAX_STOP_MS = 30
const STOP_OVER_PAGE = 1.5
const MAX_MEMORY_MB = 14
/** More than `MAX_STOP_MS`, because an import begins in a new process. */
const MAX_IMPORT_STOP_MS = 60
const MAX_IMPORT_MB = 120
const JUDGED_OVER_PARSED = 4

interface Row {
  figure: string
  cells: string[]
  value: number
  goal: number
}

export function createReport(
  results: readonly Result[],
  memory: readonly number[],
  imports: readonly Measurement[],
  judged: readonly Judged[],
): string {
  const times = results.flatMap(timeRows)
  const stops = results.filter(({ benchCase }) => benchCase.goals.stop).map(stopRow)
  const others = [
    ...stops,
    ...(memory.length > 0 ? [memoryRow(memory)] : []),
    ...(imports.length > 0 ? importRows(imports) : []),
    ...(judged.length > 0 ? [limitsRow(judged)] : []),
  ]
  const rows = [...times, ...others]
  const missed = rows.filter((row) => !isMet(row)).map(({ figure }) => figure)
  return [
    table(['time', 'floor, ms', 'ours × floor', 'hand-built × floor', 'ours over hand-built'], times),
    table(['stops, ms, and memory, MB', 'JSON.parse of a page', 'hand-built', 'ours'], others),
    `${rows.length - missed.length} of ${rows.length} goals met; missed: ${missed.join('; ') || 'none'}`,
  ].join('\n\n')
}

function timeRows({ benchCase, runs }: Result): Row[] {
  const { name, goals } = benchCase
  return (['wall', 'processor'] as const).flatMap((key) => {
    const goal = goals[key]
    if (goal === undefined) return []
    const ratio = (system: System, to: System) =>
      median(runs[system].map((run, round) => run[key] / (runs[to][round]?.[key] ?? Number.NaN)))
    const floor = median(runs.floor.map((run) => run[key]))
    const value = ratio('ours', 'hand')
    const cells = [floor, ratio('ours', 'floor'), ratio('hand', 'floor'), value].map(text)
    return [{ figure: key === 'wall' ? name : `${name}: processor`, cells, value, goal }]
  })
}

function stopRow({ benchCase, runs, pageStops }: Result): Row {
  const stopOf = (system: System) => median(runs[system].map(({ stop }) => stop))
  const [page, value] = [median(pageStops), stopOf('ours')]
  const goal = Math.min(MAX_STOP_MS, STOP_OVER_PAGE * page)
  return {
    figure: `longest stop, ${benchCase.name}`,
    cells: [page, stopOf('hand'), value].map(text),
    value,
    goal,
  }
}

function memoryRow(memory: readonly number[]): Row {
  const value = median(memory)
  const figure = 'memory after the first poll of 10 devices over idle Node-RED'
  return { figure, cells: ['', '', text(value)], value, goal: MAX_MEMORY_MB }
}

function importRows(runs: readonly Measurement[]): Row[] {
  const row = (title: string, value: number, goal: number): Row => {
    const figure = `${title}, ${importCase.name}`
    return { figure, cells: ['', '', text(value)], value, goal }
  }
  return [
    row('longest stop', median(runs.map(({ stop }) => stop)), MAX_IMPORT_STOP_MS),
    row('peak memory', median(runs.map(({ peak }) => peak)), MAX_IMPORT_MB),
    row('pages before new records', Math.max(...runs.map(({ early }) => early)), 0),
  ]
}

/** The goal is a ratio to `JSON.parse` of the message. */
function limitsRow(runs: readonly Judged[]): Row {
  const value = median(runs.map(({ judged }) => judged))
  const parsed = median(runs.map((run) => run.parsed))
  return {
    figure: limitsCase,
    cells: [text(parsed), '', text(value)],
    value,
    goal: JUDGED_OVER_PARSED * parsed,
  }
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
