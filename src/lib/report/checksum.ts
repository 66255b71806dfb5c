import { createHash } from 'node:crypto'
import { nextTurn } from '../clock'
import type { Channel } from '../readings/channel'
import type { Span } from '../readings/coverage'
import type { Reading } from '../readings/current'
import { hasTime, type Series, type SeriesRecord } from '../readings/series'

/**
 * The checksum of a report (docs/report.md, *Checksum*): of a list with the checksum of each device's records in the
 * period, so that it does not depend on the order in which they are requested, nor on the records around the period.
 */
export class Checksum {
  readonly #lines: string[] = []

  async addRecords({ base, serial, channels, records }: Series, { from, to }: Span): Promise<void> {
    const inside = records.filter(hasTime).filter(({ timestamp }) => timestamp >= from && timestamp < to)
    await this.#add(base.serial, serial, channels, inside)
  }

  async addReading({ base, serial, channels, timestamp }: Reading): Promise<void> {
    const errors: Record<string, string> = {}
    const record: SeriesRecord = { time: null, timestamp, dataId: null, errors }
    for (const { key, value, error } of channels) {
      record[key as `ch${number}`] = value
      errors[key] = error ?? ''
    }
    await this.#add(base.serial, serial, channels, [record])
  }

  /** In hexadecimal. */
  result(): string {
    const lines = this.#lines.toSorted((a, b) => (a < b ? -1 : 1))
    return createHash('sha256').update(lines.join('')).digest('hex')
  }

  async #add(
    base: string,
    serial: string,
    channels: readonly Channel[],
    records: readonly SeriesRecord[],
  ): Promise<void> {
    const hash = createHash('sha256')
    const keys = channels.map(({ key }) => key as `ch${number}`)
    let lines = toLine(['timestamp', 'dataId', ...channels.map(({ key, unit }) => `${key} ${unit}`.trim())])
    for (const [index, record] of records.entries()) {
      lines += `${record.timestamp ?? ''},${record.dataId ?? ''}`
      for (const key of keys) lines += `,${toCell(record[key] ?? record.errors?.[key])}`
      lines += '\n'
      if (index % RECORDS_PER_TURN !== RECORDS_PER_TURN - 1) continue
      hash.update(lines)
      lines = ''
      await nextTurn()
    }
    this.#lines.push(toLine([base, serial, hash.update(lines).digest('hex')]))
  }
}

const RECORDS_PER_TURN = 4000

const toLine = (cells: readonly string[]) => `${cells.map(toCell).join(',')}\n`

function toCell(cell: string | number | null | undefined): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
