import type { TrialLine } from '../../shared/admin'
import type { Content } from '../readings/content'

/** Most lines of a content. */
export const MAX_LINES = 10

/**
 * The devices, records or alerts of a content, for people who look at them: devices in the order of the message, records
 * and alerts newest first. Statistics and raw responses have none.
 */
export function toLines(content: Content): { lines: TrialLine[]; count: number } {
  switch (content.kind) {
    case 'current': {
      const { readings } = content
      const lines = readings.slice(0, MAX_LINES).map(({ name, serial, timestamp, channels }) => {
        const values = channels.map(({ value, unit, error }) => ({ value, unit, error }))
        return { name: name || serial, timestamp, channels: values }
      })
      return { lines, count: readings.length }
    }
    case 'series': {
      const { name, serial, channels, records } = content.series
      const lines = newestOf(records).map((record) => {
        const values = channels.map(({ key, unit }) => {
          const value = record[key as `ch${number}`] ?? null
          return { value, unit, error: record.errors?.[key] ?? null }
        })
        return { name: name || serial, timestamp: record.timestamp, channels: values }
      })
      return { lines, count: records.length }
    }
    case 'alerts': {
      const { alerts } = content
      const lines = newestOf(alerts).map(({ name, serial, timestamp, text }) => {
        return { name: name || serial, timestamp, channels: [], text }
      })
      return { lines, count: alerts.length }
    }
    default:
      return { lines: [], count: 0 }
  }
}

const newestOf = <T>(oldestFirst: readonly T[]): T[] => oldestFirst.slice(-MAX_LINES).reverse()
