/** Counts the requests per endpoint, and the records per endpoint and device (docs/service.md, *Limits*). */
import type { EndpointName } from './endpoints'
import { type LimitTable, limitTable } from './limits'
import type { Settings } from './options'
import { UsageLog, type WindowKind } from './windows'

export class Meter {
  private readonly logs = new Map<string, UsageLog>()
  private table: LimitTable = limitTable({})
  private windows: WindowKind = 'fixed'

  configure({ limits, windows }: Settings): void {
    this.table = limitTable(limits)
    this.windows = windows
  }

  limits(endpoint: EndpointName) {
    return this.table[endpoint]
  }

  spend(endpoint: EndpointName, count: number, now: number): void {
    this.log(endpoint).add(now, count)
  }

  remaining(endpoint: EndpointName, now: number): number {
    const { limit, window } = this.table[endpoint]
    return Math.max(0, limit - this.log(endpoint).used(now, window, this.windows))
  }

  spendRecords(endpoint: EndpointName, device: string, count: number, now: number): void {
    this.log(endpoint, device).add(now, count)
  }

  remainingRecords(endpoint: EndpointName, device: string | undefined, now: number): number {
    const { records, recordsWindow } = this.table[endpoint]
    if (device === undefined) return records
    return Math.max(0, records - this.log(endpoint, device).used(now, recordsWindow, this.windows))
  }

  reset(): void {
    this.logs.clear()
  }

  private log(...key: string[]): UsageLog {
    const name = JSON.stringify(key)
    const log = this.logs.get(name) ?? new UsageLog()
    this.logs.set(name, log)
    return log
  }
}
