/**
 * The service: turns a request into a response. It knows only headers and bodies of HTTP; faults are applied afterwards
 * (`effects.ts`).
 */
import { type Account, ownerOf, userOf } from './account'
import { addedParameters, type Content, Contents } from './content'
import { type EndpointName, endpoints } from './endpoints'
import { type Cause, errorBody, Refusal } from './errors'
import type { Directory } from './fleet/directory'
import { rateHeaders } from './headers'
import type { Meter } from './meter'
import type { Settings } from './options'
import { checkParameters, type Parameters, withoutCredentials } from './parameters'
import type { Replay } from './replay'

export interface ServiceRequest {
  endpoint: EndpointName
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  /** simulated time, ms */
  now: number
  /** the time for limit windows, ms */
  limitsNow: number
  /** false: does not count, see `Fault.counts` */
  counts: boolean
}

export interface Answer {
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

/** What is known about a request when its response or refusal is written. */
interface Progress {
  user?: string
  /** the user whose windows the headers report, even if the password is wrong */
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

  answer(request: ServiceRequest): Answer {
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
  ): Answer {
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
  ): Answer {
    const { endpoint, limitsNow } = request
    const remaining = this.meter.remaining(progress.owner, endpoint, limitsNow)
    const limits = this.meter.limits(endpoint)
    const records = endpoints[endpoint].budget
      ? this.meter.recordsLeft(progress.user, endpoint, progress.device, limitsNow)
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
    const body = parsed(request.body)
    if (body) progress.params = withoutCredentials(body)
    progress.owner = ownerOf(this.accounts, body?.['login-id'])
    if (headers['x-http-method-override'] !== 'GET') throw new Refusal('override')
    if (!/^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? '')))
      throw new Refusal('contentType')
    if (!body) throw new Refusal('json')
    const user = userOf(this.accounts, body)
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
    const use = this.meter.request(user, request.endpoint, request.limitsNow)
    progress.counted = use.counted
    progress.over = use.over
    if (use.over) throw new Refusal('rate')
  }

  /** Counts records in the device's budget. @throws Refusal if too few are left */
  private spendRecords(request: ServiceRequest, progress: Progress, records: number): void {
    const { endpoint, limitsNow } = request
    const { user, device } = progress
    progress.records = records
    if (!request.counts || !endpoints[endpoint].budget || user === undefined || device === undefined) return
    const left = this.meter.recordsLeft(user, endpoint, device, limitsNow)
    const exceeding = this.settings.budgetRule === 'exceeding' && records > left
    if (exceeding || left <= 0) throw new Refusal('budget')
    this.meter.spendRecords(user, endpoint, device, records, limitsNow)
  }
}

function parsed(body: Buffer): Parameters | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Parameters)
      : undefined
  } catch {
    return undefined
  }
}
