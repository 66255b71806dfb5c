/** Six nodes and one with the reference-only ID, on the 120 devices of one account. */

import type { EndpointName, LogEntry, Simulator, TrueDevice } from '../../../simulator'
import type { Message } from '../../support/flow-types'
import type { DeviceMessage, QuotaNode } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'

/** Short windows, and so many devices that a round takes several of them. */
export const SHORT_LIMITS = {
  current: { limit: 1, window: 2 },
  'latest-data': { limit: 20, window: 2 },
  'latest-data-relay': { limit: 25, window: 2 },
  data: { limit: 20, window: 2 },
  // A busy machine does not send more single requests per second.
  'data-relay': { limit: 12, window: 2 },
  alert: { limit: 25, window: 2 },
}

const endpointOf = {
  latest: ({ standalone }: TrueDevice) => (standalone ? 'latest-data' : 'latest-data-relay'),
  range: ({ standalone }: TrueDevice) => (standalone ? 'data' : 'data-relay'),
  alerts: () => 'alert',
  current: () => 'current',
} satisfies Record<string, (device: TrueDevice) => EndpointName>

export type BusyAccount = ReturnType<typeof createBusyAccount>

export function createBusyAccount(simulator: Simulator) {
  // Remote units first, so that a node waits for one endpoint at a time.
  const devices = simulator.truth.devices().toSorted((a, b) => Number(a.standalone) - Number(b.standalone))
  const third = (at: number) => devices.filter((_, index) => index % 3 === at)
  const devicesOf: Record<string, TrueDevice[]> = {
    'latest-1': third(0),
    'latest-2': third(1),
    'latest-3': third(2),
    'latest-ref': third(0),
    range: devices,
    alerts: devices,
    current: devices,
  }
  const ids = Object.keys(devicesOf)
  const actionOf = (id: string) => id.split('-')[0] as QuotaNode['action']

  const nodes = ids.map((id): QuotaNode => {
    const action = actionOf(id)
    if (action === 'current') return { id, action, settings: { repeat: 1 } }
    const settings = action === 'range' ? { from: '-1h' } : {}
    const named = devicesOf[id]?.map(({ serial, base }) => ({ serial, base })) ?? []
    return { id, action, reference: id === 'latest-ref', settings, devices: named }
  })

  return {
    devicesOf,
    ids,
    nodes,
    /** The node of `latest` that sent the request. */
    whoAsked({ user, params }: LogEntry): string | undefined {
      if (user === simulator.account.referenceId) return 'latest-ref'
      const serial = params['remote-serial']
      return ids.find((id) => id.startsWith('latest') && devicesOf[id]?.some((one) => one.serial === serial))
    },
    /** Whether the service has such data of the device. */
    hasData(id: string, serial: string): boolean {
      const device = devicesOf[id]?.find((one) => one.serial === serial)
      return device?.endpoints.includes(endpointOf[actionOf(id)](device)) ?? false
    },
  }
}

/** Counts per device which nodes have received a message or an error from now on. */
export function createTally({ collector }: QuotaHarness, { devicesOf, ids }: BusyAccount) {
  const missing = new Map(ids.map((id) => [id, new Set(devicesOf[id]?.map(({ serial }) => serial))]))
  const seen = new Map([...ids, 'errors'].map((box) => [box, collector.box(box).length]))

  function fresh(box: string): Message[] {
    const from = seen.get(box) ?? 0
    const messages = collector.box(box).slice(from)
    seen.set(box, from + messages.length)
    return messages
  }

  /** `node serial` of those that have received nothing yet. */
  return function unserved(): string[] {
    for (const id of ids) {
      for (const { serials } of fresh(id) as DeviceMessage[])
        for (const serial of serials) missing.get(id)?.delete(serial)
    }
    for (const { error } of fresh('errors')) {
      if (error.code === 'ENVLOG_SERVICE') missing.get(error.source.id)?.delete(error.cause.serial)
    }
    return [...missing].flatMap(([id, serials]) => [...serials].map((serial) => `${id} ${serial}`))
  }
}

/** How often an endpoint's limit delayed requests: the window before was full. */
export function timesFull(
  log: readonly LogEntry[],
  endpoint: string,
  seconds: number,
  limit: number,
): number {
  const times = log.filter((entry) => entry.endpoint === endpoint).map(({ time }) => time)
  // Permits are free again a window and a margin after the answer, and a waiting request needs some time to be sent.
  const span = seconds * 1500
  return times.filter((time, at) => time - Number(times[at - limit]) < span).length
}

/** Numbers of requests of others between two requests of a node, while it waits only for the relay endpoint. */
export function gapsIn(part: readonly LogEntry[], { whoAsked }: BusyAccount) {
  const latest = part
    .filter(({ endpoint }) => endpoint?.startsWith('latest'))
    .map((entry) => ({ node: whoAsked(entry), endpoint: entry.endpoint }))
  const nodes = [...new Set(latest.map(({ node }) => node))]
  return nodes.flatMap((node) => {
    const leaves = latest.findIndex((one) => one.node === node && one.endpoint === 'latest-data')
    const waits = latest.slice(0, leaves < 0 ? latest.length : leaves)
    const relay = waits.filter(({ endpoint }) => endpoint === 'latest-data-relay')
    const own = relay.flatMap((one, at) => (one.node === node ? [at] : []))
    const others = own.slice(1).map((at, index) => at - Number(own[index]) - 1)
    return others.map((count) => ({ node, others: count, waiting: nodes.length }))
  })
}
