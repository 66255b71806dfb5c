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
    const record: SeriesRecord = { time: null, timestamp, dataId: null, errors: {} }
    for (const { key, value, error } of channels) {
      record[key as `ch${number}`] = value
      if (error !== null && record.errors) record.errors[key] = error
    }
    await this.#add(base.serial, serial, channels, [record])
  }

  /** In hexadecimal. */
  result(): string {
    return hash([this.#lines.toSorted((a, b) => (a < b ? -1 : 1)).join('')])
  }

  async #add(
    base: string,
    serial: string,
    channels: readonly Channel[],
    records: readonly SeriesRecord[],
  ): Promise<void> {
    const lines = [
      toLine(['timestamp', 'dataId', ...channels.map(({ key, unit }) => `${key} ${unit}`.trim())]),
    ]
    for (const record of records) {
      const values = channels.map(({ key }) => record[key as `ch${number}`] ?? record.errors?.[key] ?? null)
      if (lines.push(toLine([record.timestamp, record.dataId, ...values])) % RECORDS_PER_TURN === 0)
        await nextTurn()
    }
    this.#lines.push(toLine([base, serial, hash(lines)]))
  }
}

const RECORDS_PER_TURN = 4000

function hash(parts: readonly string[]): string {
  const found = createHash('sha256')
  for (const part of parts) found.update(part)
  return found.digest('hex')
}

const toLine = (cells: readonly (string | number | null)[]) => `${cells.map(toCell).join(',')}\n`

function toCell(cell: string | number | null): string {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
