import type { Account } from '../../../src/lib/account'
import { deviceKey } from '../../../src/lib/collect/devices'
import type { Delivery } from '../../../src/lib/collect/fetch'
import { Filling } from '../../../src/lib/collect/fill'
import type { LostPeriod } from '../../../src/lib/collect/holes'
import { NodeState } from '../../../src/lib/collect/node-state'
import { type PollOptions, pollAlerts, pollRecords } from '../../../src/lib/collect/poll'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import type { TimeStyle } from '../../../src/lib/decode/time'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import type { StateStore } from '../../../src/lib/stored-state'
import { context, type Json, NO_LIST } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { createRecordingStore } from './recording-store'

/** A standalone device. */
const target = { serial: '5212A1B2', base: '5212A1B2' }

/**
 * A node that polls devices whose responses the test determines.
 * @param receiptTimeoutMs `null` if no receipts are used
 * @param retained number of records that other nodes keep in memory
 */
export async function createPolledDevice(
  respond: (endpoint: EndpointName, params: Record<string, number>) => Json,
  over: Partial<PollOptions> = {},
  {
    clock = createVirtualClock(0),
    store = createRecordingStore() as StateStore,
    receiptTimeoutMs = null as number | null,
    retained = 0,
    time = 'utc' as TimeStyle,
  } = {},
) {
  const options: PollOptions = { backfill: true, start: 'all', ...over }
  const nodeState: NodeState = new NodeState(clock, () => retained + nodeState.devices.retainedCount)
  nodeState.open(store, { receiptTimeoutMs })
  await nodeState.ready()
  /** The requested endpoints, and what was delivered. */
  const endpoints: EndpointName[] = []
  const delivered: Delivery[] = []
  /** The reported failures of pages. */
  const reported: string[] = []
  /** The periods of lost records, if known. */
  const lost: (LostPeriod | undefined)[] = []
  async function read(endpoint: EndpointName, params: Record<string, number>) {
    endpoints.push(endpoint)
    const body = readEnvelope(endpoint, JSON.stringify(respond(endpoint, params)))
    const { number } = params
    return { endpoint, body, receivedAt: clock.now(), quota: {}, ...(number !== undefined && { number }) }
  }
  /** The devices whose newest records were reported to be ahead of the clock. */
  const ahead: unknown[] = []
  const account = { client: { read }, devices: NO_LIST } as unknown as Account
  const deliver = async (data: Delivery, _isEmpty?: boolean) => void delivered.push(data)
  const { newest } = options
  const run = {
    ...{ account, nodeState, nodeId: 'node', time, deliver },
    interrupt: new AbortController().signal,
    ...(newest !== undefined && { newest }),
    reportLoss: (_: unknown, period?: LostPeriod) => void lost.push(period),
    reportAhead: (device: unknown) => void ahead.push(device),
    onFill() {},
    reportPage: (_: unknown, error: EnvlogError) => void reported.push(error.reason),
  }

  return {
    clock,
    options,
    nodeState,
    endpoints,
    delivered,
    reported,
    lost,
    ahead,
    target,
    run,
    state: nodeState.devices.get(deviceKey(target)),
    /** One trigger. @returns the reason why it failed */
    async poll(
      what: 'records' | 'alerts' = 'records',
      device = target,
      signal = context.signal,
    ): Promise<string | undefined> {
      // Like the node, send no request while a receipt is awaited.
      if (nodeState.devices.get(deviceKey(device)).receiptWait(clock.monotonic()) > 0) return undefined
      const own = { ...context, signal }
      return failureOf(async () => {
        if (what === 'alerts') return pollAlerts(run, device, 'all', own)
        await pollRecords(run, device, options, own)
        const none = () => new Set<typeof target>()
        const round = { devices: [device], awaited: none(), busy: none(), poll: async () => {} }
        if (options.backfill && receiptTimeoutMs === null) await new Filling(run, round, own).complete()
      })
    },
    /** The numbers of the delivered records, delivery by delivery; none for those without new records. */
    ids: () => delivered.map(idsIn).filter((ids) => ids.length > 0),
  }
}

async function failureOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    return error.reason
  }
}

const idsIn = ({ content }: Pick<Delivery, 'content'>) =>
  content.kind === 'series' ? content.series.records.map(({ dataId }) => dataId) : []
