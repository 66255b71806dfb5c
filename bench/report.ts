/** Writes the tables of `bench/README.md`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import { median, type Spread, spread } from './figures'
import { type System, systems } from './flows'
import type { Goal } from './goals'
import { memory, type Result, ratio, stops } from './measure'
import { type PollResult, processorRatio } from './polls'
import type { Measurement } from './probe'

const README = join(__dirname, 'README.md')
const [BEGIN, END] = ['<!-- made by the bench: begin -->', '<!-- made by the bench: end -->']

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  )
}

const figure = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
const spreadOf = ({ median, low, high }: Spread) => `${figure(median)} (${figure(low)}–${figure(high)})`
const wallOf = ({ runs }: Result, system: System) => median(runs[system].map(({ wall }) => wall))

export function timesTable(results: readonly Result[]): string {
  const head = ['case', 'floor ms', 'wall ×', 'processor ×', 'hand-built wall ×', 'hand-built processor ×']
  const rows = results.map((result) => [
    result.one.name,
    figure(wallOf(result, 'floor')),
    spreadOf(ratio(result, 'wall', 'ours', 'floor')),
    spreadOf(ratio(result, 'processor', 'ours', 'floor')),
    spreadOf(ratio(result, 'wall', 'hand', 'floor')),
    spreadOf(ratio(result, 'processor', 'hand', 'floor')),
  ])
  return table(head, rows)
}

export function stopsTable(results: readonly Result[]): string {
  const stop = (result: Result, system: System) => {
    const found = stops(result, system)
    return `${found.median.toFixed(0)} / ${found.max.toFixed(0)}`
  }
  const peak = (result: Result, system: System) => memory(result, system)?.median.toFixed(0) ?? '–'
  const speed = (result: Result, system: System) =>
    Math.round(result.messages / (wallOf(result, system) / 1000)).toLocaleString('en-US')
  const each = (of: (result: Result, system: System) => string) => (result: Result) =>
    (['ours', 'floor', 'hand'] as const).map((system) => of(result, system)).join(' · ')
  const head = [
    'case',
    'longest stop, ms: median / worst',
    'peak over idle, MB',
    'messages',
    'messages a second',
  ]
  const rows = results.map((result) => [
    result.one.name,
    each(stop)(result),
    each(peak)(result),
    result.messages.toLocaleString('en-US'),
    `${speed(result, 'ours')} · ${speed(result, 'hand')}`,
  ])
  return table(head, rows)
}

export function goalsTable(goals: readonly Goal[]): string {
  return table(
    ['goal', 'figure', ''],
    goals.map(({ text, figure: value, isMet }) => [text, value, isMet ? 'pass' : '**miss**']),
  )
}

export function pollsTable(polls: readonly PollResult[]): string {
  const perDevice = (runs: readonly Measurement[], devices: number) =>
    (median(runs.map(({ processor }) => processor)) / devices).toFixed(3)
  const rows = polls.map((poll) => {
    const { one, devices, ours, floor } = poll
    const stopped = spread(ours.map(({ stop }) => stop))
    return [
      one.name,
      `${perDevice(ours, devices)} · ${perDevice(floor, devices)}`,
      spreadOf(processorRatio(poll)),
      `${stopped.median.toFixed(0)} / ${stopped.max.toFixed(0)}`,
    ]
  })
  return table(['round', 'processor, ms a device: ours · floor', 'ratio', 'stop, ms: median / worst'], rows)
}

export function reportOf(
  results: readonly Result[],
  polls: readonly PollResult[],
  goals: readonly Goal[],
): string {
  const pairs = results.map(({ runs }) => runs[systems[0]].length)
  const [cpu] = cpus()
  return [
    `Node.js ${process.version}, ${platform()} ${arch()}, ${cpus().length} × ${cpu?.model.trim()}; ${Math.min(...pairs)} to ${Math.max(...pairs)} pairs a case.`,
    '## Goals',
    goalsTable(goals),
    '## Time',
    'As a ratio to the floor, pair by pair: the median, and between which two half of the pairs lie.',
    timesTable(results),
    '## Stops, memory, messages',
    'Our nodes · the floor · the hand-built flow; messages a second without the floor, which sends one.',
    stopsTable(results),
    '## Rounds',
    'A node that polls many devices with *only new*, beside the same requests with `JSON.parse` and nothing else.',
    pollsTable(polls),
  ].join('\n\n')
}

/** Replaces the text between the markers. */
export function writeReadme(report: string): void {
  const text = readFileSync(README, 'utf8')
  const [before, rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1] ?? '\n'
  writeFileSync(README, `${before}${BEGIN}\n\n${report}\n\n${END}${after}`)
}
