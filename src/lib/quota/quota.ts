import { randomUUID } from 'node:crypto'
import type { QuotaCounts } from '../../shared/admin'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import type { EndpointName } from '../endpoints'
import { createStateWriter, loadOrEmpty, type StateStore, type StateWriter } from '../state-store'
import { createAccountLimiter } from './account-limiter'
import { readPersistedQuota, toPersistedQuota } from './limiter-state'
import { type AccountLimits, mapEndpoints, strictestOf } from './limits'
import { createScheduler } from './scheduler'
import { createSharedQuota, type SharedQuota } from './shared/shared-quota'
import { createMembership, type SharedQuotaStore } from './shared/store'
import type { QuotaRequest, RequestContext } from './types'

/** What an account node contributes to the quota of its account. */
export interface Participant {
  /** Requests that may run at the same time; the smallest number of all participants applies. */
  concurrency: number
  limits: AccountLimits
  /** Where the usage is saved. */
  store?: StateStore | undefined
  /** Opens the store of a quota that is shared with other processes; called for the first such participant. */
  openSharedStore?: (() => SharedQuotaStore) | undefined
  /** Called at the start and at each change, with a code that says why the shared store is not connected. */
  onSharedStoreChange?(isConnected: boolean, code?: string): void
}

/**
 * The quota of one account (docs/quota.md): decides when each request is sent, so that the account's limits are never
 * exceeded and requests within them are sent immediately.
 */
export interface Quota {
  /**
   * Sends a request as soon as there are permits for it; identical requests are sent once.
   * @throws EnvlogError `quota-wait`, `records-wait`, `quota-refused`, `records-refused`, `queue-full`, `closed`,
   * and what the request fails with
   */
  submit<T>(request: QuotaRequest<T>, context: RequestContext): Promise<T>
  /** Adds a participant; the returned function removes it, and resolves when nothing more will be saved for it. */
  join(participant: Participant): () => Promise<void>
  /** Estimates when a number of further requests will have been sent, ms since 1970 UTC. */
  roundEnds(endpoint: EndpointName, requests: number): number
  /** What the admin API reports (docs/quota.md, *Where to see it*). */
  counts(): QuotaCounts
  /** True while it has participants. */
  isUsed(): boolean
}

/** @param account identifies the account in saved state; contains no secrets */
export function createQuota(clock: Clock, account = ''): Quota {
  const processId = randomUUID()
  const participants = new Map<Participant, StateWriter | undefined>()
  let sharedQuota: SharedQuota | undefined
  const membership = createMembership(processId)
  /** Work that must be over before anything is sent: saved state is loaded, or the shared store is connected. */
  let pending = 0

  const now = () => clock.monotonic()
  const toWallMs = () => clock.now() - clock.monotonic()
  const limiter = createAccountLimiter({
    processId,
    share: (windowSeconds) => sharedQuota?.share(windowSeconds) ?? 1,
    isShared: () => sharedQuota !== undefined,
  })
  const scheduler = createScheduler({
    clock,
    limiter,
    sharedQuota: () => sharedQuota,
    maxConcurrency: () => (pending > 0 ? 0 : Math.min(...all().map(({ concurrency }) => concurrency))),
    onUsageChange() {
      for (const writer of participants.values()) writer?.save()
    },
  })
  const all = () => [...participants.keys()]

  async function whilePending<T>(work: Promise<T>): Promise<T> {
    pending++
    try {
      return await work
    } finally {
      pending--
    }
  }

  async function load(participant: Participant, store: StateStore): Promise<void> {
    const value = await whilePending(loadOrEmpty(store, clock))
    const saved = readPersistedQuota(value, account, now(), toWallMs())
    // What this process saved itself is nothing new.
    if (saved && saved.processId !== processId) {
      limiter.restore(saved.state, now())
      if (typeof saved.processId === 'string') membership.predecessors.add(saved.processId)
      await whilePending(sharedQuota?.reportUsage() ?? Promise.resolve())
    }
    const state = () => toPersistedQuota(limiter.getState(now()), { account, processId }, toWallMs())
    if (participants.has(participant)) participants.set(participant, createStateWriter(store, clock, state))
    scheduler.update()
  }

  function onSharedStoreChange(): void {
    const isConnected = sharedQuota?.isConnected() ?? false
    for (const participant of all())
      participant.onSharedStoreChange?.(isConnected, sharedQuota?.disconnectCode())
    scheduler.update()
  }

  /** @param loaded the usage of an earlier process is reported first, which is a member until then */
  async function share(open: () => SharedQuotaStore, loaded: Promise<void>): Promise<void> {
    const store = openOrFail(open)
    const opened = createSharedQuota({ store, clock, limiter, membership, onChange: onSharedStoreChange })
    sharedQuota = opened
    await whilePending(loaded.then(() => (sharedQuota === opened ? opened.start() : undefined)))
    onSharedStoreChange()
  }

  function onParticipantsChange(): void {
    if (participants.size > 0) limiter.configure(strictestOf(all().map(({ limits }) => limits)))
    if (!sharedQuota || all().some(({ openSharedStore }) => openSharedStore)) return
    inBackground(sharedQuota.close())
    sharedQuota = undefined
  }

  return {
    submit: <T>(request: QuotaRequest<T>, context: RequestContext) =>
      scheduler.submit(request as QuotaRequest<unknown>, context) as Promise<T>,

    join(participant) {
      const { store, openSharedStore } = participant
      participants.set(participant, undefined)
      onParticipantsChange()
      const loaded = store ? load(participant, store) : Promise.resolve()
      inBackground(loaded)
      if (openSharedStore && !sharedQuota) inBackground(share(openSharedStore, loaded))
      else if (openSharedStore) onSharedStoreChange()
      return async () => {
        const writer = participants.get(participant)
        participants.delete(participant)
        onParticipantsChange()
        await writer?.end()
      }
    },

    isUsed: () => participants.size > 0,

    roundEnds: (endpoint, requests) => limiter.endpoints[endpoint].availableAt(now(), requests) + toWallMs(),

    counts: () => ({
      ...scheduler.counts(),
      ledgerHere: sharedQuota?.isConnected() ?? null,
      endpoints: mapEndpoints((name) => ({
        ...limiter.counts(name, now(), toWallMs()),
        waiting: scheduler.waitingFor(name),
      })),
      records: limiter.fewestRecords(now()),
    }),
  }
}

/** An address that cannot even be opened is a store that is not connected. */
function openOrFail(open: () => SharedQuotaStore): SharedQuotaStore {
  try {
    return open()
  } catch (error) {
    const { code } = error as { code?: string }
    const fail = () => Promise.reject(Object.assign(new Error('The shared store cannot be opened'), { code }))
    const idle = { reconnect: () => {}, close: async () => {} }
    return { heartbeat: fail, reserve: fail, commit: fail, replay: fail, ...idle }
  }
}
