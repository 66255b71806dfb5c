/**
 * Counts the requests of each user per endpoint, and the records of each user per endpoint and device (docs/service.md,
 * *Limits*). Requests with a reference-only ID count for its user.
 */
import type { EndpointName } from './endpoints'
import { type LimitTable, limitTable } from './limits'
import type { Settings } from './options'
import { UsageLog, type WindowRule } from './windows'

export interface CountedRequest {
  /** whether the request exceeds the limit */
  over: boolean
  counted: boolean
  /** requests that remain in the window */
  remaining: number
}

export class Meter {
  private readonly logs = new Map<string, UsageLog>()
  private table: LimitTable
  private rule: WindowRule

  constructor(private settings: Settings) {
    this.table = limitTable(settings.limits)
    this.rule = { kind: settings.windows, phase: settings.windowPhase }
  }

  configure(settings: Settings): void {
    this.settings = settings
    this.table = limitTable(settings.limits)
    this.rule = { kind: settings.windows, phase: settings.windowPhase }
  }

  limits(endpoint: EndpointName) {
    return this.table[endpoint]
  }

  /** Counts a request, unless it exceeds the limit and refused requests do not count. */
  request(user: string, endpoint: EndpointName, now: number): CountedRequest {
    const over = this.remaining(user, endpoint, now) <= 0
    const counted = !over || this.settings.countRefused
    if (counted) this.spend(user, endpoint, 1, now)
    return { over, counted, remaining: this.remaining(user, endpoint, now) }
  }

  spend(user: string, endpoint: EndpointName, count: number, now: number): void {
    this.log(user, endpoint).add(now, count, this.table[endpoint].window)
  }

  remaining(user: string | undefined, endpoint: EndpointName, now: number): number {
    const { limit, window } = this.table[endpoint]
    if (user === undefined) return limit
    return Math.max(0, limit - this.log(user, endpoint).used(now, window, this.rule))
  }

  remainingRecords(
    user: string | undefined,
    endpoint: EndpointName,
    device: string | undefined,
    now: number,
  ): number {
    const { records, recordsWindow } = this.table[endpoint]
    if (user === undefined || device === undefined) return records
    return Math.max(0, records - this.log(user, endpoint, device).used(now, recordsWindow, this.rule))
  }

  spendRecords(user: string, endpoint: EndpointName, device: string, count: number, now: number): void {
    this.log(user, endpoint, device).add(now, count, this.table[endpoint].recordsWindow)
  }

  reset(): void {
    this.logs.clear()
  }

  private log(...key: string[]): UsageLog {
    const name = JSON.stringify(key)
    let log = this.logs.get(name)
    if (!log) {
      log = new UsageLog()
      this.logs.set(name, log)
    }
    return log
  }
}
