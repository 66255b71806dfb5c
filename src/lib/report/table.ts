import { MINUTE_MS } from '../../shared/local-clock'
import { nextTurn } from '../clock'
import { dateAndTime } from './local-time'
import type { CheckedChannel, ReportData, ReportedChannel, ReportedDevice } from './report-data'
import type { Wording } from './wording'

type Cell = string | number | null | undefined

interface Row {
  device: ReportedDevice
  /** Absent for a device without channels. */
  channel?: ReportedChannel
  check?: CheckedChannel
}

interface Context {
  data: ReportData
  words: Wording
}

/** A column of the table: the key of its head, and its cell in a row. */
type Column = readonly [key: string, cell: (row: Row, context: Context) => Cell]

const DEVICE: readonly Column[] = [
  ['group', ({ device }) => device.group],
  ['device', ({ device }) => device.name],
  ['serial', ({ device }) => device.serial],
  ['base', ({ device }) => device.base],
  ['number', (row) => channelOf(row)?.number],
  ['name', (row) => channelOf(row)?.name],
  ['quantity', (row, { words }) => words.quantity(channelOf(row)?.quantity ?? null)],
  ['unit', (row) => channelOf(row)?.unit],
]

const LIMITS: readonly Column[] = [
  ['below', (row) => edgeOf(row, 'drawnBelow')],
  ['above', (row) => edgeOf(row, 'drawnAbove')],
]

const ENDING: readonly Column[] = [
  ['missing', (row, context) => missingOf(row, context)],
  ['sha256', (_, { data }) => data.sha256],
]

/** A row for each channel of a period, and for each device without one. */
const OF_PERIOD: readonly Column[] = [
  ['period', (_, { data }) => data.period.key],
  ...DEVICE,
  ['minimum', ({ channel }) => channel?.min?.value],
  ['minimum-at', ({ device, channel }) => channel?.min && dateAndTime(device.clock, channel.min.time)],
  ['maximum', ({ channel }) => channel?.max?.value],
  ['maximum-at', ({ device, channel }) => channel?.max && dateAndTime(device.clock, channel.max.time)],
  ['mean', ({ channel }) => channel?.mean],
  ['kinetic', ({ channel }) => channel?.mkt],
  ...LIMITS,
  ['excursions', ({ channel }) => channel && channel.excursions.length + channel.leftOut],
  ['excursion-minutes', ({ channel }) => channel?.excursionMinutes],
  ['coverage', ({ channel }) => channel?.coverage],
  ['values', ({ channel }) => channel?.count],
  ['expected', ({ channel }) => channel?.expected],
  ['errors', ({ channel }) => channel?.errors],
  ['gap', ({ channel }) => lengthOf(channel?.longestGap)],
  ...ENDING,
]

const RESULTS = { pass: 'pass', fail: 'fail', none: 'no-limits' } as const

/** A row for each channel of a check. */
const OF_CHECK: readonly Column[] = [
  ['checked-at', (_, { data }) => dateAndTime(data.clock, data.made)],
  ...DEVICE,
  ['reading', ({ check }) => check?.value],
  ['error', ({ check }, { words }) => check?.error && words.error(check.error)],
  ['measured-at', ({ device, check }) => check?.time && dateAndTime(device.clock, check.time)],
  ...LIMITS,
  ['result', ({ check }, { words }) => check && words.say(RESULTS[check.result])],
  ...ENDING,
]

const channelOf = ({ channel, check }: Row) => channel ?? check

/** The strictest limit of a side, in the unit of the channel. */
function edgeOf(row: Row, side: 'drawnAbove' | 'drawnBelow'): number | undefined {
  const edges = (channelOf(row)?.limits ?? []).flatMap((limit) => limit[side] ?? [])
  if (edges.length === 0) return undefined
  return side === 'drawnAbove' ? Math.min(...edges) : Math.max(...edges)
}

const lengthOf = (gap: ReportedChannel['longestGap'] | undefined) =>
  gap && Math.round((gap.to - gap.from) / MINUTE_MS)

/** What is missing of the device or of the channel. */
function missingOf({ device, channel }: Row, { words }: Context): string {
  const missing = device.missing.filter((one) => !('channel' in one) || one.channel === channel)
  // A period of several days has times with dates.
  return words.missing({ ...device, missing, from: 0 }).join('; ')
}

/**
 * The table of a report, as CSV for spreadsheets. Other work may run between devices.
 * @param decimalComma whether numbers have a decimal comma, and cells a semicolon between them
 */
export async function renderTable(data: ReportData, words: Wording, decimalComma: boolean): Promise<string> {
  const columns = data.period.kind === 'now' ? OF_CHECK : OF_PERIOD
  const separator = decimalComma ? ';' : ','
  const toLine = (cells: readonly Cell[]) =>
    `${cells.map((cell) => toText(cell, decimalComma)).join(separator)}\r\n`
  const lines = [toLine(columns.map(([key]) => words.say(`table.${key}`)))]
  for (const device of data.devices) {
    for (const row of rowsOf(device))
      lines.push(toLine(columns.map(([, cell]) => cell(row, { data, words }))))
    await nextTurn()
  }
  // Spreadsheets recognize UTF-8 by the byte order mark.
  return `\uFEFF${lines.join('')}`
}

function rowsOf(device: ReportedDevice): readonly Row[] {
  const { channels, checks } = device
  const rows = [
    ...channels.map((channel) => ({ device, channel })),
    ...checks.map((check) => ({ device, check })),
  ]
  return rows.length > 0 ? rows : [{ device }]
}

/** A spreadsheet must not read a text as a formula, some also by full-width signs, nor a serial number as a number. */
const MISREAD = /^(\s*[=+\-@＝＋－＠]|[\t\r]|\d+[eE]\d+$|0\d+$)/

function toText(cell: Cell, decimalComma: boolean): string {
  if (typeof cell === 'number') return decimalComma ? String(cell).replace('.', ',') : String(cell)
  const text = (cell ?? '').replace(MISREAD, "'$1")
  return /["\r\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
