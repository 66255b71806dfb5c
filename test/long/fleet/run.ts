/**
 * Months of a fleet with faulty devices, polled by nodes with their own timers, and everything that a flow received.
 */

import type { Counts } from '../../../simulator'
import type { Message } from '../../support/flow-types'
import { bodyChangerOf, createFleetDevices, type FleetDevice, faultsOf, type Layout } from './members'
import { type Config, type Failure, startRuntime } from './runtime'
import { startService } from './service'
import { installVirtualTime } from './time'

const SECOND = 1000
const DAY = 86_400 * SECOND
const STARTING = 6 * SECOND

export interface Report {
  node: string
  at: number
  error: Failure
  device: { serial: string; base?: string } | undefined
}

export interface FleetRun {
  members: FleetDevice[]
  /** By node and serial: one line per element, in order of arrival. */
  arrived: Map<string, string[]>
  /** By serial: the true records as lines; those after the last poll may not have arrived. */
  records: Map<string, string[]>
  reports: Report[]
  /** For all triggers of a node: end, ms since 1970, and failure. */
  ended: Map<string, { at: number; error?: Failure | undefined }[]>
  /** By serial: times of requests for its newest records, ms since 1970. */
  requestedAt: Map<string, number[]>
  counts: Counts
  /** end, in ms since 1970 */
  now: number
  wall: number
}

/** Number of days, and poll interval in s. */
export interface Phase {
  days: number
  repeat: number
}

/** There is a deploy between two phases. */
export async function runFleet(count: number, layout: Layout, phases: readonly Phase[]): Promise<FleetRun> {
  const days = phases.reduce((sum, phase) => sum + phase.days, 0)
  // Records in the future are not part of this test.
  const from = Math.floor(Date.now() / DAY) * DAY - (days + 2) * DAY
  const members = createFleetDevices(count, from / SECOND, days, layout)
  const time = installVirtualTime(from + 123)
  const arrived = new Map<string, string[]>()
  const requestedAt = new Map<string, number[]>()
  const reports: Report[] = []
  const ended: FleetRun['ended'] = new Map()
  const service = startService({
    time,
    seed: layout,
    fleet: members.map(({ definition }) => definition),
    faults: faultsOf(members),
    changeBody: bodyChangerOf(members),
    onRequest(serial, endpoint) {
      if (endpoint.startsWith('latest-data')) listIn(requestedAt, serial).push(time.now())
    },
  })
  const runtime = startRuntime({
    message: (node, { payload }) => {
      for (const { serial, line } of linesOf(node, payload)) listIn(arrived, `${node} ${serial}`).push(line)
    },
    error: (node, error, { envlog }) => reports.push({ node, error, device: envlog?.device, at: time.now() }),
    done: (node, error) => listIn(ended, node).push({ at: time.now(), error }),
  })
  try {
    for (const { days: many, repeat } of phases) {
      const deployed = runtime.deploy(flowOf(service, repeat))
      await time.pass(STARTING)
      await deployed
      await time.pass(many * DAY - STARTING)
    }
    const records = new Map(
      members.map(({ serial, base }) => [serial, service.truth.records(serial, base).map(trueLine)]),
    )
    return {
      members,
      arrived,
      records,
      reports,
      ended,
      requestedAt: requestedAt,
      counts: service.counts(),
      now: time.now(),
      wall: time.elapsedMs(),
    }
  } finally {
    service.end()
    time.end()
  }
}

function flowOf({ url, account }: { url: string; account: object }, repeat: number): Config[] {
  const common = { account: 'account', repeat }
  return [
    { id: 'account', type: 'envlog-account', baseUrl: url, credentials: account },
    { id: 'latest', type: 'envlog-latest', ...common },
    { id: 'alerts', type: 'envlog-alerts', ...common, start: 'all' },
    { id: 'current', type: 'envlog-current', ...common, onlyNew: true },
  ]
}

const trueLine = ({
  time,
  id,
  values,
}: {
  time: number
  id: number
  values: Readonly<Record<number, unknown>>
}) => `${time} ${id} ${values[1]}`

function linesOf(node: string, payload: Message): { serial: string; line: string }[] {
  if (node === 'latest') {
    const { serial, records } = payload as { serial: string; records: Message[] }
    return records.map(({ timestamp, dataId, ch1 }) => ({ serial, line: `${timestamp} ${dataId} ${ch1}` }))
  }
  return (payload as Message[]).map(({ serial, timestamp, text }) => ({
    serial,
    line: node === 'alerts' ? `${timestamp} ${text}` : String(timestamp),
  }))
}

export function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}
