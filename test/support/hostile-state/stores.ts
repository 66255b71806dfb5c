/** A Node-RED context store with controlled behaviour: slow, unresponsive, full, damaged, or lost with its process. */
import { createRequire } from 'node:module'

type Done = (error: unknown, value?: unknown) => void
interface Context {
  get(key: string, store: unknown, done: Done): void
  set(key: string, value: unknown, store: unknown, done: Done): void
}
const ofNodeRed = createRequire(require.resolve('node-red'))
const { prototype }: { prototype: { id: string; context(): Context } } = ofNodeRed(
  '@node-red/runtime/lib/nodes/Node',
)

export type StoreBehaviour = 'at once' | 'fails' | 'throws' | 'never' | { ms: number }

export interface StoreCall {
  op: 'load' | 'save'
  /** The store named by the account; blank for the default one. */
  store: string
  key: string
  /** Completes the call, at any later time. */
  answer(): void
}

const STORE_ERROR = new Error('the store is ill')

export function createHostileStore() {
  const { context } = prototype
  const disk = new Map<string, string>()
  const calls: StoreCall[] = []
  const pending = new Set<() => void>()
  let behaviour: (call: StoreCall, index: number) => StoreBehaviour = () => 'at once'
  let isDead = false

  function call(op: StoreCall['op'], [key, store]: [string, string], done: Done, work: () => unknown): void {
    if (isDead) return
    let isOver = false
    const answer = () => {
      pending.delete(answer)
      if (isOver || isDead) return
      isOver = true
      const value = work()
      setImmediate(() => isDead || done(null, value))
    }
    const storeCall = { op, store, key, answer }
    calls.push(storeCall)
    const chosen = behaviour(storeCall, calls.filter((other) => other.op === op).length - 1)
    if (isDead) return
    if (chosen === 'at once') answer()
    else if (chosen === 'throws') throw STORE_ERROR
    else if (chosen === 'fails') setImmediate(() => done(STORE_ERROR))
    else {
      pending.add(answer)
      if (chosen !== 'never') setTimeout(answer, chosen.ms)
    }
  }

  prototype.context = function (this: { id: string }) {
    const diskKey = (store: unknown, key: string) => [store ?? '', this.id, key].join(' ')
    return {
      get: (key, store, done) =>
        call('load', [key, String(store ?? '')], done, () => {
          const text = disk.get(diskKey(store, key))
          return text === undefined ? undefined : JSON.parse(text)
        }),
      set(key, value, store, done) {
        const text = JSON.stringify(value)
        call('save', [key, String(store ?? '')], done, () => void disk.set(diskKey(store, key), text))
      },
    }
  }

  return {
    /** Its contents, by store, node and key. */
    disk,
    calls,
    callsOf: (op: StoreCall['op'], key = 'cursors') =>
      calls.filter((one) => one.op === op && one.key === key),
    /** Sets the behaviour of further calls; `index` counts the loads, or the saves. */
    behave(how: StoreBehaviour | typeof behaviour) {
      behaviour = typeof how === 'function' ? how : () => how
    },
    /** The process dies: pending calls are lost. */
    die() {
      isDead = true
      pending.clear()
    },
    /** Starts a new process. */
    restart() {
      isDead = false
    },
    /** Completes the pending calls, and all further ones immediately. */
    recover() {
      behaviour = () => 'at once'
      for (const answer of [...pending]) answer()
    },
    restore() {
      this.recover()
      prototype.context = context
    },
  }
}

export type HostileStore = ReturnType<typeof createHostileStore>
