/** A bounded log of the requests, and totals since the start. */
import { type EndpointName, endpointNames } from './endpoints'

export interface LogEntry {
  /** simulated time, ms */
  time: number
  /** null: unknown path */
  endpoint: EndpointName | null
  path: string
  /** the login ID used; null: wrong credentials */
  user: string | null
  /** without credentials */
  params: Readonly<Record<string, unknown>>
  /** status sent; 0: no response was sent */
  status: number
  /** the request counted in its window */
  counted: boolean
  /** the request exceeded the limit */
  over: boolean
  /** requests left in the window; null if unknown */
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
  /** requests that exceeded the limit of requests, regardless of the response */
  over: number
  /** requests of other clients, see `spend` */
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
