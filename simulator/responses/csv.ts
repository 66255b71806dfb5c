/** CSV (docs/service.md, *Fields*). Every cell is quoted. Times are local times of the device. */
import { formatOffset, type Offsets } from '../fleet/device'
import type { RecordView } from '../fleet/record-views'
import type { Variants } from '../variants'
import type { ValueWriter } from './value'

const day = 86_400
/** Days from the epoch of spreadsheets to 1970. */
const serialOf1970 = 25_569

/** The label of the column with dates as serial numbers of spreadsheets (cell 2 of row 2). */
const serialLabel = { en: 'Date serial value', ja: '日付シリアル値' }
const dstLabel = { en: 'DST', ja: '夏時間' }
/** The label of the first two columns in row 1. Only the English label is described. */
const timeLabel = { en: 'Date/Time', ja: '日時' }

export interface CsvDialect {
  row(cells: readonly string[]): string
  start: string
}

export function dialect(variants: Variants): CsvDialect {
  const pad = variants.csvSpaces ? ' ' : ''
  const end = variants.csvLineEnd === 'lf' ? '\n' : '\r\n'
  return {
    start: variants.csvBom ? '\uFEFF' : '',
    row: (cells) => cells.map((cell) => `"${pad}${cell.replaceAll('"', '""')}${pad}"`).join(',') + end,
  }
}

/** The body of csv2, and of csv on latest-data. */
export function csvBody(
  zone: Offsets,
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
  variants: Variants,
): string {
  const { row, start } = dialect(variants)
  const offset = localOffset(zone) * 60
  let body = start + headerRows(zone, writers, variants).map(row).join('')
  for (const index of indexes) {
    const record = view.at(index)
    const local = record.time + offset
    const cells = [localTime(local), serialDate(local)]
    for (const writer of writers) cells.push(writer.text(record.values[writer.column] ?? null))
    body += row(cells)
  }
  return body
}

function headerRows(zone: Offsets, writers: readonly ValueWriter[], variants: Variants): string[][] {
  const language = variants.csvLabels
  const blankNames = variants.blank.includes('channel.name')
  return [
    [timeLabel[language], timeLabel[language], ...writers.map((_, i) => `No.${i + 1}`)],
    [
      zoneLabel(zone, language),
      serialLabel[language],
      ...writers.map(({ channel }) => (blankNames ? '' : channel.name)),
    ],
    ['', '', ...writers.map(({ unit }) => unit)],
  ]
}

/** The local time of a device minus UTC, in minutes (docs/service.md, *Fields*). */
export function localOffset({ timeDiff, stdBias, dst, dstBias }: Offsets): number {
  return timeDiff + (dst ? dstBias : stdBias)
}

function zoneLabel({ timeDiff, dst }: Offsets, language: 'en' | 'ja'): string {
  return `GMT${formatOffset(timeDiff)} ${dstLabel[language]}:${dst ? 'ON' : 'OFF'}`
}

function localTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

function serialDate(seconds: number): string {
  return (seconds / day + serialOf1970).toFixed(6)
}
