/** CSV (docs/service.md, *Fields*). Every cell is quoted. Times are local times of the device. */
import { formatOffset, type Offsets } from '../fleet/device'
import type { RecordView, StoredRecord } from '../fleet/record-views'
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

/** The body of csv2, and of csv on latest-data. */
export function csvBody(
  zone: Offsets,
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
  variants: Variants,
): string {
  const offset = localOffset(zone) * 60
  const leading = ({ time }: StoredRecord) => [localTime(time + offset), serialDate(time + offset)]
  const records = recordRows(leading, view, indexes, writers)
  return table([...headerRows(zone, writers, variants), ...records], variants)
}

/**
 * The fields of `data[]` as columns, with times and ids as in JSON ("csv returns the JSON-encoded value in CSV form").
 */
export function plainCsv(
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
  variants: Variants,
): string {
  const header = ['unixtime', 'data-id', ...writers.map(({ channel }) => `ch${channel.num}`)]
  const leading = ({ time, id }: StoredRecord) => [String(time), String(id)]
  return table([header, ...recordRows(leading, view, indexes, writers)], variants)
}

/** @param leading the cells of a record before its values */
function recordRows(
  leading: (record: StoredRecord) => string[],
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
): string[][] {
  return indexes.map((index) => {
    const record = view.at(index)
    return [...leading(record), ...writers.map(({ text, column }) => text(record.values[column] ?? null))]
  })
}

function table(rows: readonly string[][], { csvSpaces, csvLineEnd, csvBom }: Variants): string {
  const pad = csvSpaces ? ' ' : ''
  const end = csvLineEnd === 'lf' ? '\n' : '\r\n'
  const quoted = (cell: string) => `"${pad}${cell.replaceAll('"', '""')}${pad}"`
  return (csvBom ? '\uFEFF' : '') + rows.map((cells) => cells.map(quoted).join(',') + end).join('')
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
