import type { Account } from '../../../src/lib/account'
import type { PolledData } from '../../../src/lib/collect/fetch'
import { NodeState } from '../../../src/lib/collect/node-state'
import { pollAlerts } from '../../../src/lib/collect/poll'
import { readReceipt } from '../../../src/lib/collect/signed-receipt'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../src/lib/errors'
import { alertResponse, patient } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { createDisk, nextTurn } from './recording-store'

export type AlertAct =
  /** @param apart seconds between them; 0 is the same second */
  | { act: 'raise'; count: number; apart: number }
  | { act: 'trigger'; fails: 'no-connection' | 'dies' | null; dies: boolean; meanwhile: AlertAct[] }
  | { act: 'receipt'; back: number }
  | { act: 'pass'; ms: number }
  | { act: 'forget' }
  | { act: 'deploy' }
  | { act: 'crash'; older: number }

export type AlertEntry =
  | { kind: 'requested' }
  /** Number of alerts at the time of the request. */
  | { kind: 'answered'; upTo: number }
  | { kind: 'delivered'; alerts: number[]; isOverflow: boolean; receipt: string | undefined }
  | { kind: 'completed' | 'failed' | 'forgotten' }
  | { kind: 'acknowledged'; delivery: number }
  /** @param at length of this journal when the data on the disk was written */
  | { kind: 'died'; at: number; hasCursor: boolean }

/** Number of channels of the device. */
const CHANNELS = 6
/** Number of entries of a log. */
export const LOG_SIZE = 20

class ProcessDied extends Error {}

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
  const disk = createDisk(journal)
  let nodeState = new NodeState(time)
  nodeState.open(disk.store, { receiptTimeoutMs })

  async function trigger({ fails, dies, meanwhile }: Extract<AlertAct, { act: 'trigger' }>): Promise<void> {
    const read = async () => {
      journal.push({ kind: 'requested' })
      await Promise.resolve()
      if (fails === 'dies') throw new ProcessDied()
      if (fails) throw new EnvlogError(fails)
      const held = log.slice(-LOG_SIZE)
      journal.push({ kind: 'answered', upTo: log.length })
      for (const act of meanwhile) await perform(act)
      const entries = held.map(({ unixtime, channels }) => ({ unixtime, ...channels }))
      const logs = order === 'oldest first' ? entries : entries.toReversed()
      const body = readEnvelope('alert', JSON.stringify(alertResponse({ 'alert-logs': logs })))
      return { endpoint: 'alert', body, receivedAt: time.now(), quota: {} }
    }
    const account = { monotonic: () => time.monotonic(), client: { read } } as unknown as Account
    const deliver = async ({ content, overflow = false, receipt }: PolledData) => {
      if (content.kind !== 'alerts') throw new TypeError(content.kind)
      const alerts = content.alerts.map(({ text }) => Number(text))
      journal.push({ kind: 'delivered', alerts, isOverflow: overflow, receipt })
      if (dies) throw new ProcessDied()
    }
    // As the node does: no request while a receipt is awaited.
    if (nodeState.device(KEY).isAwaitingReceipt(time.monotonic())) return
    const run = { account, nodeState, nodeId: 'node', time: 'utc', deliver } as const
    try {
      await pollAlerts(run, target, start, patient)
      journal.push({ kind: 'completed' })
    } catch (error) {
      if (error instanceof ProcessDied) return await crash(0)
      if (!(error instanceof EnvlogError)) throw error
      journal.push({ kind: 'failed' })
    }
  }

  async function deploy(): Promise<void> {
    await nodeState.close(disk.store)
    nodeState.open(disk.store, { receiptTimeoutMs })
  }

  async function crash(older: number): Promise<void> {
    disk.crash(older)
    nodeState = new NodeState(time)
    nodeState.open(disk.store, { receiptTimeoutMs })
    await nodeState.ready()
    const hasCursor = nodeState.device(KEY).cursor !== null
    journal.push({ kind: 'died', at: disk.writtenAt(), hasCursor })
  }

  function receive(back: number): void {
    const deliveries = [...journal.entries()].filter(([, { kind }]) => kind === 'delivered').reverse()
    const [index, entry] = deliveries[back] ?? []
    if (index === undefined || entry?.kind !== 'delivered' || entry.receipt === undefined) return
    journal.push({ kind: 'acknowledged', delivery: index })
    nodeState.device(KEY).acknowledge(readReceipt(entry.receipt, nodeState.receiptKey).cursor)
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
    await nodeState.ready()
    // Changes by an act are written before the next act, or within a second.
    await nextTurn()
    const isDeath = act.act === 'crash' || (act.act === 'trigger' && (act.dies || act.fails === 'dies'))
    if (isDeath) await time.pass(1000)
    if (act.act === 'raise') raise(act.count, act.apart)
    else if (act.act === 'trigger') await trigger(act)
    else if (act.act === 'receipt') receive(act.back)
    else if (act.act === 'pass') time.advance(act.ms)
    else if (act.act === 'deploy') await deploy()
    else if (act.act === 'crash') await crash(act.older)
    else {
      nodeState.forget('all')
      journal.push({ kind: 'forgotten' })
    }
  }

  return { journal, log, perform }
}

export type AlertSimulation = ReturnType<typeof createAlertSimulation>
