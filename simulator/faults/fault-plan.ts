/** Faults between the service and its client, and the choice of requests that they apply to. */
import type { EndpointName } from '../endpoints'
import { chance, seedFrom } from '../random'

export const faultKinds = [
  'delay',
  'drop',
  'dropMidBody',
  'status',
  'brokenJson',
  'truncatedJson',
  'html',
  'errorWith200',
  'silence',
  'body',
] as const

export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  kind: FaultKind
  /** default: all */
  endpoints?: readonly EndpointName[]
  /** only requests that contain one of these as remote-serial or base-serial; default: all */
  serials?: readonly string[]
  /** 0 to 1; default 1 */
  probability?: number
  /** maximum number of requests that the fault applies to; default: unlimited */
  times?: number
  /** delay before the response, in ms of real time, for any kind; default 0 */
  delay?: number
  /** HTTP status, for the kinds `status` and `errorWith200` (default 500), `body` and `html` (default 200) */
  status?: number
  /** text that is sent instead of the body, for any kind that sends a response */
  body?: string
  /** headers that are added to the response */
  headers?: Readonly<Record<string, string>>
  /** whether the request counts toward the limits, as if it had reached the service; default true */
  counts?: boolean
}

interface Tracked {
  fault: Fault
  index: number
  matched: number
  used: number
}

/** Selects the faults that apply to a request: all matching delays, and the first matching fault of another kind. */
export class FaultPlan {
  private tracked: Tracked[] = []
  private readonly seed: number

  constructor(seed: number | string, faults: readonly Fault[]) {
    this.seed = seedFrom(seed, 'faults')
    this.configure(faults)
  }

  configure(faults: readonly Fault[]): void {
    this.tracked = faults.map((fault, index) => ({ fault, index, matched: 0, used: 0 }))
  }

  /** The faults for the control address, with the remaining `times`. */
  list(): Fault[] {
    return this.tracked.map(({ fault, used }) =>
      fault.times === undefined ? fault : { ...fault, times: Math.max(0, fault.times - used) },
    )
  }

  pick(endpoint: EndpointName, serials: readonly string[]): Fault[] {
    const picked: Fault[] = []
    let hasOtherKind = false
    for (const tracked of this.tracked) {
      if (tracked.fault.kind !== 'delay' && hasOtherKind) continue
      if (!this.appliesTo(tracked, endpoint, serials)) continue
      tracked.used++
      picked.push(tracked.fault)
      if (tracked.fault.kind !== 'delay') hasOtherKind = true
    }
    return picked
  }

  private appliesTo(tracked: Tracked, endpoint: EndpointName, serials: readonly string[]): boolean {
    const { fault, index } = tracked
    if (fault.endpoints && !fault.endpoints.includes(endpoint)) return false
    if (fault.serials && !fault.serials.some((serial) => serials.includes(serial))) return false
    if (fault.times !== undefined && tracked.used >= fault.times) return false
    const matched = tracked.matched++
    return chance(this.seed, index, matched) < (fault.probability ?? 1)
  }
}
