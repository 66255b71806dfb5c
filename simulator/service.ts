/**
 * The service, which turns a request into a response. It deals only with the headers and bodies of HTTP. Faults are
 * applied afterwards (`faults/effects.ts`).
 */
import { type Account, authenticate, findOwner } from './account'
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
  user: string | null
  params: Parameters
  counted: boolean
  over: boolean
  remaining: number
  records: number
}

/** The findings about a request so far, from which its response or refusal is created. */
interface Progress {
  user?: string
  /** the user to whom the login ID belongs, even if the password is wrong */
  owner?: string | undefined
  login?: string
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
    private readonly accounts: readonly Account[],
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
    const remaining = this.meter.remaining(progress.owner, endpoint, limitsNow)
    const limits = this.meter.limits(endpoint)
    const records = endpoints[endpoint].recordQuota
      ? this.meter.remainingRecords(progress.user, endpoint, progress.device, limitsNow)
      : undefined
    return {
      status,
      body,
      headers: {
        'Content-Type': type,
        ...rateHeaders(limits, remaining, records, status, this.settings.variants),
      },
      user: progress.login ?? null,
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
    progress.owner = findOwner(this.accounts, body?.['login-id'])
    if (headers['x-http-method-override'] !== 'GET') throw new Refusal('override')
    if (!/^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? '')))
      throw new Refusal('contentType')
    if (!body) throw new Refusal('json')
    const user = authenticate(this.accounts, body)
    if (user === undefined) throw new Refusal('credentials')
    progress.user = user
    progress.login = String(body['login-id'])
    this.count(request, progress, user)
    checkParameters(endpoint, progress.params, addedParameters(endpoint, this.settings.variants))
    return this.contents.create(endpoint, progress.params, Math.floor(request.now / 1000), {
      device: (key) => {
        progress.device = key
      },
      records: (count) => this.spendRecords(request, progress, count),
    })
  }

  private count(request: ServiceRequest, progress: Progress, user: string): void {
    if (!request.counts) return
    const counted = this.meter.request(user, request.endpoint, request.limitsNow)
    progress.counted = counted.counted
    progress.over = counted.over
    if (counted.over) throw new Refusal('rate')
  }

  /**
   * Counts records in the device's record quota.
   * @throws Refusal if too few remain
   */
  private spendRecords(request: ServiceRequest, progress: Progress, records: number): void {
    const { endpoint, limitsNow } = request
    const { user, device } = progress
    progress.records = records
    if (!request.counts || !endpoints[endpoint].recordQuota || user === undefined || device === undefined)
      return
    const remaining = this.meter.remainingRecords(user, endpoint, device, limitsNow)
    const isExceeding = this.settings.budgetRule === 'exceeding' && records > remaining
    if (isExceeding || remaining <= 0) throw new Refusal('records')
    this.meter.spendRecords(user, endpoint, device, records, limitsNow)
  }
}
