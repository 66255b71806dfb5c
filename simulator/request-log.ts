/** A log of limited size with the newest requests, and totals since the start or the last reset. */
import { type EndpointName, endpointNames } from './endpoints'

export interface LogEntry {
  /** simulated time, ms */
  time: number
  /** null: the request reached no endpoint, because its path or method is wrong or its body is too large */
  endpoint: EndpointName | null
  path: string
  /** parameters, without the credentials */
  params: Readonly<Record<string, unknown>>
  /** the status sent; 0: no response was sent */
  status: number
  /** whether the request counted toward the limit */
  counted: boolean
  /** whether the request exceeded the limit */
  over: boolean
  /** requests that remain in the window; null: the request reached no endpoint */
  remaining: number | null
  /** records in the response */
  records: number
  /** kinds of the faults that were applied */
  faults: readonly string[]
}

export interface EndpointCounts {
  /** received requests */
  total: number
  /** responses with status 429, for any reason */
  refused: number
  /** requests that exceeded the limit, regardless of the response */
  over: number
  /** requests of other clients (`spend`) */
  foreign: number
  /** records sent */
  records: number
}

export type Counts = Record<EndpointName, EndpointCounts>

export class RequestLog {
  private entries: LogEntry[] = []
  private totals: Counts = emptyCounts()

  constructor(private readonly size: number) {}

  add(entry: LogEntry): void {
    this.entries.push(entry)
    if (this.entries.length > this.size * 2) this.entries = this.entries.slice(-this.size)
    if (entry.endpoint === null) return
    const totals = this.totals[entry.endpoint]
    totals.total++
    totals.records += entry.records
    if (entry.status === 429) totals.refused++
    if (entry.over) totals.over++
  }

  foreign(endpoint: EndpointName, count: number): void {
    this.totals[endpoint].foreign += count
  }

  list(): readonly LogEntry[] {
    return this.size > 0 ? this.entries.slice(-this.size) : []
  }

  counts(): Counts {
    return structuredClone(this.totals)
  }

  clear(): void {
    this.entries = []
    this.totals = emptyCounts()
  }
}

function emptyCounts(): Counts {
  const rows = endpointNames.map((name) => [name, { total: 0, refused: 0, over: 0, foreign: 0, records: 0 }])
  return Object.fromEntries(rows)
}
