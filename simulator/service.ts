/**
 * The service, which turns a request into a response. It deals only with the headers and bodies of HTTP. Faults are
 * applied afterwards (`faults/effects.ts`).
 */
import { type Account, isAuthenticated } from './account'
import { addedParameters, type Content, Contents } from './content'
import { type EndpointName, endpoints } from './endpoints'
import { type Cause, errorBody, Refusal } from './errors'
import type { Directory } from './fleet/directory'
import { rateHeaders } from './headers'
import type { Meter } from './meter'
import type { Settings } from './options'
import { checkParameters, type Parameters, parseParameters, withoutCredentials } from './parameters'
import type { Replay } from './replay'

export interface ServiceRequest {
  endpoint: EndpointName
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  /** simulated time, ms */
  now: number
  /** the time that the windows of limits use, ms */
  limitsNow: number
  /** whether it counts toward the limits, see `Fault.counts` */
  counts: boolean
}

export interface ServiceResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  params: Parameters
  counted: boolean
  over: boolean
  remaining: number
  records: number
}

/** The findings about a request so far, from which its response or refusal is created. */
interface Progress {
  params: Parameters
  device?: string
  counted: boolean
  over: boolean
  records: number
}

const json = 'application/json; charset=utf-8'
const csv = 'text/csv; charset=utf-8'

export class Service {
  private readonly contents: Contents

  constructor(
    private readonly account: Account,
    private readonly meter: Meter,
    directory: Directory,
    private settings: Settings,
    replay?: Replay,
  ) {
    this.contents = new Contents(directory, settings.variants, replay)
  }

  configure(settings: Settings, directory: Directory): void {
    this.settings = settings
    this.contents.configure(directory, settings.variants)
  }

  respond(request: ServiceRequest): ServiceResponse {
    const progress: Progress = { params: {}, counted: false, over: false, records: 0 }
    try {
      const content = this.createContent(request, progress)
      return this.finish(request, progress, 200, content.body, content.csv ? csv : json)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return this.refuse(request, progress, error.why, error.detail, error.status)
    }
  }

  private refuse(
    request: ServiceRequest,
    progress: Progress,
    why: Cause,
    detail: string,
    status: number,
  ): ServiceResponse {
    const { variants } = this.settings
    // docs/service.md, *Assumptions*, `unknown-serial`.
    if (why === 'serial' && progress.params.type === 'csv2' && variants.unknownSerialCsv2 === 'array') {
      return this.finish(request, progress, 200, Buffer.from('Array'), csv)
    }
    const body = Buffer.from(errorBody(why, detail, variants, status))
    return this.finish(request, progress, status, body, json)
  }

  private finish(
    request: ServiceRequest,
    progress: Progress,
    status: number,
    body: Buffer,
    type: string,
  ): ServiceResponse {
    const { endpoint, limitsNow } = request
    const remaining = this.meter.remaining(endpoint, limitsNow)
    const limits = this.meter.limits(endpoint)
    const records = endpoints[endpoint].recordQuota
      ? this.meter.remainingRecords(endpoint, progress.device, limitsNow)
      : undefined
    return {
      status,
      body,
      headers: {
        'Content-Type': type,
        ...rateHeaders(limits, remaining, records, this.settings.variants),
      },
      params: progress.params,
      counted: progress.counted,
      over: progress.over,
      remaining,
      records: status === 200 ? progress.records : 0,
    }
  }

  private createContent(request: ServiceRequest, progress: Progress): Content {
    const { endpoint, headers } = request
    const body = parseParameters(request.body)
    if (body) progress.params = withoutCredentials(body)
    if (headers['x-http-method-override'] !== 'GET') throw new Refusal('override')
    if (!/^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? '')))
      throw new Refusal('contentType')
    if (!body) throw new Refusal('json')
    if (!isAuthenticated(this.account, body)) throw new Refusal('credentials')
    if (request.counts) this.count(request, progress)
    checkParameters(endpoint, progress.params, addedParameters(endpoint, this.settings.variants))
    return this.contents.create(endpoint, progress.params, Math.floor(request.now / 1000), {
      device: (key) => {
        progress.device = key
      },
      records: (count) => this.spendRecords(request, progress, count),
    })
  }

  private count({ endpoint, limitsNow }: ServiceRequest, progress: Progress): void {
    progress.over = this.meter.remaining(endpoint, limitsNow) <= 0
    if (progress.over) throw new Refusal('rate')
    this.meter.spend(endpoint, 1, limitsNow)
    progress.counted = true
  }

  /**
   * Counts records in the device's record quota.
   * @throws Refusal if too few remain
   */
  private spendRecords(request: ServiceRequest, progress: Progress, records: number): void {
    const { endpoint, limitsNow } = request
    const { device } = progress
    progress.records = records
    if (!request.counts || !endpoints[endpoint].recordQuota || device === undefined) return
    if (records > this.meter.remainingRecords(endpoint, device, limitsNow)) throw new Refusal('records')
    this.meter.spendRecords(endpoint, device, records, limitsNow)
  }
}
