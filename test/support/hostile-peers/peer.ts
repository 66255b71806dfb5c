/** One row of the table of hostile peers: what it does, and how requests to it may end. */
import type { PeerBehaviour } from '../peers'
import type { WorkingService } from './wire'

export const requesters = ['current', 'latest', 'range', 'alerts', 'device list', 'account test'] as const
export type Requester = (typeof requesters)[number]

/** A documented code, or success. */
export type End =
  | 'ok'
  | 'ENVLOG_INPUT'
  | 'ENVLOG_SERVICE'
  | 'ENVLOG_NETWORK'
  | 'ENVLOG_TIMEOUT'
  | 'ENVLOG_REPLY'

export interface HostilePeer {
  /** "a peer that …" */
  title: string
  /**
   * How the service is reached: `http:` on this machine, `https:`, or `https:` through a proxy, which is the peer then.
   */
  connection?: 'http' | 'tls' | 'proxy'
  behaviour: (service: WorkingService) => PeerBehaviour
  /** Any of these is as documented. */
  ends: readonly End[] | Partial<Record<Requester, readonly End[]>>
  /**
   * `quick`: answers immediately and briefly; `slow`: a timeout expires; `huge`: a large answer; `cut`:
   * triggered until it is answered.
   */
  kind?: 'quick' | 'slow' | 'huge' | 'cut'
  /** Until the end, in times the account's Timeout; the total time otherwise. */
  timeouts?: number
  /** Connections that may stay open, because everything received was valid HTTP. */
  maxOpen?: number
  /** The account's Retries, and the resulting number of requests. */
  retries?: { setting: number; requests: number }
  /** The service itself refuses the device: it has to be forgotten before it is requested again. */
  refuses?: true
  /** The listening port never accepts anything. */
  hasFullBacklog?: true
}

export function documentedEnds({ ends }: HostilePeer, requester: Requester): readonly End[] {
  return Array.isArray(ends)
    ? ends
    : ((ends as Partial<Record<Requester, readonly End[]>>)[requester] ?? ['ok'])
}
