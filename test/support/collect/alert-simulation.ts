import type { Account } from '../../../src/lib/account'
import type { Delivery } from '../../../src/lib/collect/fetch'
import { pollAlerts } from '../../../src/lib/collect/poll'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../src/lib/errors'
import { alertResponse, context, NO_LIST } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { nextTurn } from './recording-store'
import { createSimulatedNode, type NodeEntry, ProcessDied } from './simulated-node'

export type AlertAct =
  /** @param apart seconds between them; 0 is the same second */
  | { act: 'raise'; count: number; apart: number }
  /** @param lag number of the newest alerts that the response lacks, because it comes from a replica that lags */
  | {
      act: 'trigger'
      fails: 'no-connection' | 'dies' | null
      dies: boolean
      lag: number
      meanwhile: AlertAct[]
    }
  | { act: 'receipt'; back: number }
  | { act: 'pass'; ms: number }
  | { act: 'forget' }
  | { act: 'deploy' }
  | { act: 'crash'; older: number }

export type AlertEntry =
  | NodeEntry
  | { kind: 'requested' }
  /** Number of alerts that the service had at the time of the request, or that a lagging replica knew. */
  | { kind: 'answered'; upTo: number }
  | { kind: 'delivered'; alerts: number[]; isOverflow: boolean; receipt: string | undefined }
  | { kind: 'completed' }

/** Number of channels of the device. */
const CHANNELS = 6
/** Number of entries of a log. */
export const LOG_SIZE = 20

const target = { serial: '5212A1B2', base: '5839F001' }
const KEY = '5839F001/5212A1B2'

/** Simulates a node, a device's alert log and a sink, over several processes. Alerts are identified by their number. */
export function createAlertSimulation(
  order: 'newest first' | 'oldest first',
  start: 'now' | 'all',
  receiptTimeoutMs: number | null = null,
) {
  const time = createVirtualClock(0)
  const log: { unixtime: number; channels: Record<string, string> }[] = []
  const journal: AlertEntry[] = []
  const node = createSimulatedNode(time, KEY, receiptTimeoutMs, journal)

  async function trigger(act: Extract<AlertAct, { act: 'trigger' }>): Promise<void> {
    const { fails, dies, lag, meanwhile } = act
    const read = async () => {
      journal.push({ kind: 'requested' })
      await Promise.resolve()
      if (fails === 'dies') throw new ProcessDied()
      if (fails) throw new EnvlogError(fails)
      const upTo = Math.max(0, log.length - lag)
      const held = log.slice(Math.max(0, upTo - LOG_SIZE), upTo)
      journal.push({ kind: 'answered', upTo })
      for (const act of meanwhile) await perform(act)
      const entries = held.map(({ unixtime, channels }) => ({ unixtime, ...channels }))
      const logs = order === 'oldest first' ? entries : entries.toReversed()
      const body = readEnvelope('alert', JSON.stringify(alertResponse({ 'alert-logs': logs })))
      return { endpoint: 'alert', body, receivedAt: time.now(), quota: {} }
    }
    const account = {
      monotonic: () => time.monotonic(),
      client: { read },
      devices: NO_LIST,
    } as unknown as Account
    const deliver = async ({ content, overflow = false, receipt }: Delivery) => {
      if (content.kind !== 'alerts') throw new TypeError(content.kind)
      const alerts = content.alerts.map(({ text }) => Number(text))
      journal.push({ kind: 'delivered', alerts, isOverflow: overflow, receipt })
      if (dies) throw new ProcessDied()
    }
    const run = {
      account,
      nodeState: node.nodeState(),
      nodeId: 'node',
      time: 'utc',
      reportLoss() {},
      reportAhead() {},
      deliver,
    } as const
    if (await node.trigger(() => pollAlerts(run, target, start, context))) journal.push({ kind: 'completed' })
  }

  function raise(count: number, apart: number): void {
    for (let each = 0; each < count; each++) {
      // No two have both second and source in common.
      time.advance(each % CHANNELS === 0 ? Math.max(1, apart) * 1000 : apart * 1000)
      const unixtime = Math.floor(time.now() / 1000)
      log.push({ unixtime, channels: { [`ch${1 + (each % CHANNELS)}`]: String(log.length) } })
    }
  }

  async function perform(act: AlertAct): Promise<void> {
    await node.nodeState().ready()
    // What is being written is complete before the next act.
    await nextTurn()
    if (act.act === 'raise') raise(act.count, act.apart)
    else if (act.act === 'trigger') await trigger(act)
    else if (act.act === 'pass') time.advance(act.ms)
    else if (act.act === 'receipt') node.receive(act.back)
    else if (act.act === 'deploy') await node.deploy()
    else if (act.act === 'crash') await node.crash(act.older)
    else node.forget()
  }

  return { journal, log, perform }
}

export type AlertSimulation = ReturnType<typeof createAlertSimulation>
