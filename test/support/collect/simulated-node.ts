import { NodeState } from '../../../src/lib/collect/node-state'
import { readReceipt } from '../../../src/lib/collect/receipt'
import { EnvlogError } from '../../../src/lib/errors'
import type { VirtualClock } from '../clock'
import { createDisk } from './recording-store'

/** The events of a run of a node, in order; oracles read them. */
export type NodeEntry =
  | { kind: 'failed'; code: string }
  | { kind: 'forgotten' }
  | { kind: 'deployed' }
  /** A sink has stored a delivery (an index in the journal), and its receipt was returned. */
  | { kind: 'acknowledged'; delivery: number; hasEffect: boolean }
  /** The process died, and continued with the state that was saved when the journal had this length. */
  | { kind: 'died'; at: number; hasCursor: boolean }

export class ProcessDied extends Error {}

/** The state of a node with one device, over several processes, and the receipts of its sink. */
export function createSimulatedNode(
  time: VirtualClock,
  key: string,
  receiptTimeoutMs: number | null,
  journal: (NodeEntry | { kind: string; receipt?: string | undefined })[],
) {
  const disk = createDisk(journal)
  const open = () => {
    const opened = new NodeState(time)
    opened.open(disk.store, { receiptTimeoutMs })
    return opened
  }
  let nodeState = open()
  const cursor = () => nodeState.devices.get(key).cursor

  /** @param older number of the last writes that are lost */
  async function crash(older: number): Promise<void> {
    disk.crash(older)
    // A restart takes time.
    time.advance(1000)
    nodeState = open()
    await nodeState.ready()
    journal.push({ kind: 'died', at: disk.writtenAt(), hasCursor: cursor() !== null })
  }

  return {
    nodeState: () => nodeState,
    crash,
    /** A trigger; as in the node, without a poll while a receipt is awaited. @returns whether it completed */
    async trigger(poll: (() => Promise<void>) | undefined, fill = async () => {}): Promise<boolean> {
      const isAwaiting = nodeState.devices.get(key).receiptWait(time.monotonic()) > 0
      try {
        if (!isAwaiting) await poll?.()
        await fill()
        return !isAwaiting
      } catch (error) {
        if (error instanceof ProcessDied) await crash(0)
        else if (error instanceof EnvlogError) journal.push({ kind: 'failed', code: error.code })
        else throw error
        return false
      }
    },
    async deploy(): Promise<void> {
      await nodeState.close(disk.store)
      nodeState.open(disk.store, { receiptTimeoutMs })
      journal.push({ kind: 'deployed' })
    },
    /** The sink returns a receipt. @param back number of later deliveries */
    receive(back: number): void {
      const deliveries = [...journal.entries()].filter(([, { kind }]) => kind === 'delivered').reverse()
      const [index, entry] = deliveries[back] ?? []
      if (index === undefined || !entry || !('receipt' in entry) || entry.receipt === undefined) return
      const before = cursor()
      const { device = '', issuedAt = 0 } = readReceipt('node', entry.receipt) ?? {}
      nodeState.acknowledge(device, issuedAt)
      const hasEffect = cursor() !== before
      journal.push({ kind: 'acknowledged', delivery: index, hasEffect })
    },
    forget(): void {
      nodeState.forget('all')
      journal.push({ kind: 'forgotten' })
    },
  }
}
