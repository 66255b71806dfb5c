/** What can go wrong between the service and its client, and which requests it befalls. */
import type { EndpointName } from './endpoints'
import { chance, seedFrom } from './random'

export const faultKinds = [
  'delay',
  'drop',
  'dropMidBody',
  'status',
  'brokenJson',
  'truncatedJson',
  'html',
  'emptyBody',
  'arrayText',
  'nullBody',
  'errorWith200',
  'drip',
  'silence',
  'redirect',
  'wrongContentType',
  'body',
] as const

export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  kind: FaultKind
  /** default: all */
  endpoints?: readonly EndpointName[]
  /** only requests naming one of these, as remote-serial or base-serial */
  serials?: readonly string[]
  /** 0 to 1; default 1 */
  probability?: number
  /** only the next so many requests that it would befall */
  times?: number
  /** let so many pass first */
  skip?: number
  /** ms before the answer, with any kind; real time */
  delay?: number
  /** of `status` (default 500) and of `body` and `html` (default 200) */
  status?: number
  /** text sent instead, with any kind that answers */
  body?: string
  /** of `dropMidBody`: the share of the body that is sent, 0 to 1; default 0.5 */
  share?: number
  /** of `drip`: ms between pieces (default 50) */
  pause?: number
  /** of `drip`: bytes in a piece (default 64) */
  piece?: number
  /** of `redirect`; default /elsewhere */
  location?: string
  /** of `wrongContentType`; default text/plain */
  contentType?: string
  /** added to the answer's headers */
  headers?: Readonly<Record<string, string>>
  /** whether the request reached the service, and so its windows; default true */
  counts?: boolean
}

interface Tracked {
  fault: Fault
  index: number
  met: number
  used: number
}

/** Which faults befall a request: any number of delays, and the first other kind. */
export class FaultPlan {
  private tracked: Tracked[] = []
  private readonly seed: number

  constructor(seed: number | string, faults: readonly Fault[]) {
    this.seed = seedFrom(seed, 'faults')
    this.configure(faults)
  }

  configure(faults: readonly Fault[]): void {
    this.tracked = faults.map((fault, index) => ({ fault, index, met: 0, used: 0 }))
  }

  /** Faults with what is left of their `times`, for the control address. */
  list(): Fault[] {
    return this.tracked.map(({ fault, used }) =>
      fault.times === undefined ? fault : { ...fault, times: Math.max(0, fault.times - used) },
    )
  }

  pick(endpoint: EndpointName, serials: readonly string[]): Fault[] {
    const picked: Fault[] = []
    let decided = false
    for (const tracked of this.tracked) {
      if (tracked.fault.kind !== 'delay' && decided) continue
      if (!this.befalls(tracked, endpoint, serials)) continue
      tracked.used++
      picked.push(tracked.fault)
      if (tracked.fault.kind !== 'delay') decided = true
    }
    return picked
  }

  private befalls(tracked: Tracked, endpoint: EndpointName, serials: readonly string[]): boolean {
    const { fault, index } = tracked
    if (fault.endpoints && !fault.endpoints.includes(endpoint)) return false
    if (fault.serials && !fault.serials.some((serial) => serials.includes(serial))) return false
    if (fault.times !== undefined && tracked.used >= fault.times) return false
    const met = tracked.met++
    if (met < (fault.skip ?? 0)) return false
    return chance(this.seed, index, met) < (fault.probability ?? 1)
  }
}
