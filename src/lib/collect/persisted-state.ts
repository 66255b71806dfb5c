import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { LATEST_MS } from '../readings/time'
import { type Keeper, keepIn, readFrom, type StateStore } from '../state-store'
import type { Cursor } from './delivery'

/** What a node's memory writes into a store. */
export interface Saved {
  version: 1
  /** What receipts are signed with. */
  key?: string
  /** Cursors by device. */
  cursors: Record<string, Cursor>
  /** Receipts up to here are void, by device: an old one must not bring back what was forgotten. */
  forgotten: Record<string, number>
  /** What was last sent of a device's current reading. */
  marks: Record<string, string>
  /** When the node was last about a device, ms. */
  selected?: Record<string, number>
  /** Devices, the one asked longest ago first. */
  round: string[]
}

/**
 * What a store holds. Taken for empty, what cannot be understood would be written over, and its records sent again.
 * @throws EnvlogError `store-newer`, `store-unreadable`
 */
export function readSaved(held: unknown): Saved {
  if (held === undefined || held === null) {
    return { version: 1, cursors: {}, forgotten: {}, marks: {}, round: [] }
  }
  if (isObject(held) && typeof held.version === 'number' && held.version > 1) {
    throw new EnvlogError('store-newer')
  }
  if (!isSaved(held)) throw new EnvlogError('store-unreadable')
  return held
}

function isSaved(held: unknown): held is Saved {
  if (!isObject(held) || held.version !== 1) return false
  const { cursors, forgotten, marks, round, selected = {}, key = '' } = held
  if (!areAll(selected, isInstant) || !isText(key)) return false
  return areAll(cursors, isCursor) && areAll(forgotten, isInstant) && areAll(marks, isText) && isTexts(round)
}

const areAll = (held: unknown, isWanted: (value: unknown) => boolean) =>
  isObject(held) && Object.values(held).every(isWanted)

/** A node has only one kind. */
export type CursorKind = 'records' | 'alerts'

/** Of the one kind or the other. */
export const isCursor = (value: unknown): value is Cursor =>
  isCursorOf(value, 'records') || isCursorOf(value, 'alerts')

export function isCursorOf(value: unknown, kind: CursorKind): value is Cursor {
  if (!isObject(value) || !isInstant(value.taken)) return false
  const { seen, time, at, beside, id, begins = [] } = value
  if (kind === 'alerts') return isTexts(seen)
  const isOfRecords = seen === undefined && (time === null || isInstant(time))
  return isOfRecords && (id === null || Number.isFinite(id)) && [at, beside, begins].every(isTexts)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One that can be written as a time. */
const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= LATEST_MS
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** A store that has not answered for so long is read once more. */
const ASKED_AGAIN_MS = 60_000

/** When the state of a node is read from its store, and written there. */
export interface Persistence {
  /** The node is made. In a new process the store is read first; then changes are written. */
  open(store: StateStore, kind: CursorKind | undefined): void
  /** The node that opened it with this store closes. Nothing is written there after what is returned has ended. */
  close(store: StateStore): (() => Promise<void>) | undefined
  /** Waits until the store was read. @throws EnvlogError `store-newer`, `store-unreadable`, `closed` */
  ready(): Promise<void>
  /** What receipts are signed with. */
  key(): string
  /** The state changed. Nothing is written before the store was read. */
  save(): void
}

interface PersistencePorts {
  snapshot(key: string): Saved
  restore(saved: Saved, kind: CursorKind | undefined): void
}

/** The node as it was made last. */
interface Opened {
  store: StateStore
  kind: CursorKind | undefined
  keeper?: Keeper
  loading?: Promise<void> | undefined
  /** When the store was read last, monotonic ms. */
  askedAt?: number
}

export function createPersistence(clock: Clock, { snapshot, restore }: PersistencePorts): Persistence {
  let key = randomBytes(32).toString('base64url')
  let opened: Opened | undefined
  let isLoaded = false
  const keep = (store: StateStore) => keepIn(store, clock, () => snapshot(key))

  async function load(own: Opened): Promise<void> {
    const saved = readSaved(await own.store.load())
    // Another read was faster, or the node was made again meanwhile.
    if (isLoaded || opened !== own) return
    restore(saved, own.kind)
    key = saved.key ?? key
    isLoaded = true
    own.keeper = keep(own.store)
  }

  /** Reads once, however many wait for it. */
  function begin(own: Opened): void {
    own.askedAt = clock.monotonic()
    const loading = load(own)
    own.loading = loading
    const over = () => {
      if (own.loading === loading) own.loading = undefined
    }
    loading.then(over, over)
  }

  return {
    key: () => key,
    save: () => opened?.keeper?.save(),
    open(store, kind) {
      const own: Opened = { store, kind }
      opened = own
      if (isLoaded) own.keeper = keep(store)
      else begin(own)
    },
    close(store) {
      if (opened?.store !== store) return undefined
      const { keeper } = opened
      opened = undefined
      return async () => keeper?.end()
    },
    async ready() {
      if (isLoaded) return
      const own = opened
      if (!own) throw new EnvlogError('closed')
      const isOverdue = clock.monotonic() - (own.askedAt ?? 0) >= ASKED_AGAIN_MS
      try {
        if (own.loading === undefined || isOverdue) begin(own)
        await readFrom(own.loading as Promise<void>, clock)
      } catch (error) {
        if (opened === own) throw error instanceof EnvlogError ? error : new EnvlogError('store-unreadable')
      }
      if (opened !== own) throw new EnvlogError('closed')
    },
  }
}
