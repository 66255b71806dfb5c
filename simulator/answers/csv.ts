/**
 * CSV (docs/service.md, *Fields*). Every cell is quoted; times are in the device's local time (docs/service.md,
 * *Fields*).
 */
import { offsetText, type Zone } from '../fleet/device'
import type { RecordView } from '../fleet/records'
import type { Variants } from '../variants'
import type { ValueWriter } from './value'

const day = 86_400
/** Days from the spreadsheet epoch to 1970. */
const serialOf1970 = 25_569

/** The fixed label of cell 2 in row 2: the serial date value of a spreadsheet. */
const serialLabel = { en: 'Date serial value', ja: '日付シリアル値' }
const dstLabel = { en: 'DST', ja: '夏時間' }
/** The description has a fixed text for row 1; the Japanese variant differs. */
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

/** csv2, and csv of latest-data. */
export function csvBody(
  zone: Zone,
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

function headerRows(zone: Zone, writers: readonly ValueWriter[], variants: Variants): string[][] {
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

/** Minutes from UTC (docs/service.md, *Fields*). */
export function localOffset({ timeDiff, stdBias, dst, dstBias }: Zone): number {
  return timeDiff + (dst ? dstBias : stdBias)
}

function zoneLabel({ timeDiff, dst }: Zone, language: 'en' | 'ja'): string {
  return `GMT${offsetText(timeDiff)} ${dstLabel[language]}:${dst ? 'ON' : 'OFF'}`
}

function localTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

function serialDate(seconds: number): string {
  return (seconds / day + serialOf1970).toFixed(6)
}
