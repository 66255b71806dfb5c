/** Formats the results: two tables, and the goals that were missed. */
import type { System } from './flows'
import type { Result } from './measure'

/** Longer stops would be noticeable in other flows. */
const MAX_STOP_MS = 40
const MAX_MEMORY_MB = 14

interface Row {
  figure: string
  cells: string[]
  value: number
  goal: number
}

export function createReport(results: readonly Result[], memory: readonly number[]): string {
  const times = results.map(timeRow)
  const others = [...results.map(stopRow), ...(memory.length > 0 ? [memoryRow(memory)] : [])]
  const rows = [...times, ...others]
  const missed = rows.filter((row) => !isMet(row)).map(({ figure }) => figure)
  return [
    table(
      ['time', 'floor, ms', 'ours × floor', 'hand-built × floor', 'processor', 'ours over hand-built'],
      times,
    ),
    table(['stops, ms, and memory, MB', 'hand-built', 'ours'], others),
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

function memoryRow(memory: readonly number[]): Row {
  const value = median(memory)
  const figure = 'memory after the first poll of 10 devices over idle Node-RED'
  return { figure, cells: ['', text(value)], value, goal: MAX_MEMORY_MB }
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
