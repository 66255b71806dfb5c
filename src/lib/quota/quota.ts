import { randomUUID } from 'node:crypto'
import type { QuotaCounts } from '../../shared/admin'
import type { EndpointName } from '../api/endpoints'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { type Keeper, keepIn, loadFrom, type StateStore } from '../state-store'
import { createAccountLimiter, type PersistedQuota } from './account-limiter'
import type { QuotaRequest } from './job'
import { type Rows, strictestOf } from './limits'
import { createScheduler } from './scheduler'
import { createSharedQuota, type SharedQuota } from './shared/client'
import { createMembership } from './shared/membership'
import type { SharedQuotaStore } from './shared/store'
import type { RequestContext } from './types'

/** What a node of the account brings with it. */
export interface Participant {
  /** Requests at the same time; the smallest of all members holds. */
  concurrency: number
  rows: Rows
  /** Where its state outlives the process. */
  store?: StateStore | undefined
  /** Where several processes share the account; called when the first such member joins. */
  ledger?: (() => SharedQuotaStore) | undefined
  /** Told whether the ledger is there, at the start and at each change, and a code that says why it is not. */
  ledgerHere?(here: boolean, reason?: string): void
}

/**
 * The quota of one account (service-api.md, *Limits*; nodes.md, *Quota*): decides which request goes when, so
 * that none leaves that could be the one too many, and what is free may go at once.
 */
export interface Quota {
  /**
   * Sends a request when its turn has come and a place is free; identical ones go together.
   * @throws EnvlogError `quota-wait`, `records-wait`, `quota-refused`, `records-refused`, `queue-full`, `closed`,
   * and what the request fails with
   */
  ask<T>(request: QuotaRequest<T>, context: RequestContext): Promise<T>
  /** A node that uses the account; call what is returned when it is gone: nothing is written after that. */
  join(member: Participant): () => Promise<void>
  /** When so many more requests could have gone, ms since 1970 UTC. */
  roundEnds(endpoint: EndpointName, requests: number): number
  counts(): QuotaCounts
  /** True while a node uses the account. */
  isUsed(): boolean
}

interface Saved extends PersistedQuota {
  /** Of which account: a node may stand for another one now. */
  account: string
  /** Of which process: what this one saved itself is nothing new. */
  run: string
}

/** @param account names it in what is saved, and tells nothing of its secrets */
export function createQuota(clock: Clock, account = ''): Quota {
  const run = randomUUID()
  const members = new Map<Participant, Keeper | undefined>()
  let sharing: SharedQuota | undefined
  const membership = createMembership(run)
  /** Saved state that is on its way: nothing goes before it is known. */
  let loading = 0

  const now = () => clock.monotonic()
  const toWall = () => clock.now() - clock.monotonic()
  const places = createAccountLimiter(
    (window) => sharing?.share(window) ?? 1,
    run,
    () => sharing !== undefined,
  )
  const dispatcher = createScheduler({
    clock,
    places,
    sharing: () => sharing,
    lanes: () => (loading > 0 ? 0 : Math.min(...[...members.keys()].map(({ concurrency }) => concurrency))),
    spent() {
      for (const keeper of members.values()) keeper?.save()
    },
  })

  async function whileLoading<T>(work: Promise<T>): Promise<T> {
    loading++
    try {
      return await work
    } finally {
      loading--
    }
  }

  async function load(member: Participant, store: StateStore): Promise<void> {
    const saved = (await whileLoading(loadFrom(store, clock))) as Partial<Saved> | undefined
    const isOurs = saved?.version === 2 && saved.account === account
    if (isOurs && saved.run !== run) {
      places.load(saved, now(), toWall())
      if (typeof saved.run === 'string') membership.predecessors.add(saved.run)
      await whileLoading(sharing?.tellAll() ?? Promise.resolve())
    }
    const state = (): Saved => ({ ...places.save(now(), toWall()), account, run })
    if (members.has(member)) members.set(member, keepIn(store, clock, state))
    dispatcher.pump()
  }

  function tellLedger(): void {
    for (const member of members.keys()) member.ledgerHere?.(sharing?.here() ?? false, sharing?.reason())
    dispatcher.pump()
  }

  /** @param loaded what an earlier process has spent is told first: it is a member till then */
  async function share(open: () => SharedQuotaStore, loaded: Promise<void>): Promise<void> {
    const own = createSharedQuota({ ledger: opened(open), clock, places, membership, changed: tellLedger })
    sharing = own
    await whileLoading(loaded.then(() => (sharing === own ? own.start() : undefined)))
    tellLedger()
  }

  function membersChanged(): void {
    if (members.size > 0) places.rebase(strictestOf([...members.keys()].map(({ rows }) => rows)))
    if (!sharing || [...members.keys()].some(({ ledger }) => ledger)) return
    inBackground(sharing.close())
    sharing = undefined
  }

  return {
    ask: <T>(request: QuotaRequest<T>, context: RequestContext) =>
      dispatcher.ask(request as QuotaRequest<unknown>, context) as Promise<T>,

    join(member) {
      members.set(member, undefined)
      membersChanged()
      const loaded = member.store ? load(member, member.store) : Promise.resolve()
      inBackground(loaded)
      if (member.ledger && !sharing) inBackground(share(member.ledger, loaded))
      else if (member.ledger) tellLedger()
      return async () => {
        const keeper = members.get(member)
        members.delete(member)
        membersChanged()
        await keeper?.end()
      }
    },

    isUsed: () => members.size > 0,

    roundEnds: (endpoint, requests) => places.when(endpoint, requests, now()) + toWall(),

    counts: () => ({
      ...dispatcher.counts(),
      ledgerHere: sharing?.here() ?? null,
      endpoints: places.counts(now(), toWall()),
      records: places.records(now()),
    }),
  }
}

/** An address that cannot even be tried is a ledger that is away. */
function opened(open: () => SharedQuotaStore): SharedQuotaStore {
  try {
    return open()
  } catch (error) {
    const { code } = error as { code?: string }
    const away = () => Promise.reject(Object.assign(new Error('away'), { code }))
    return { hello: away, claim: away, settle: away, replay: away, reset: () => {}, close: async () => {} }
  }
}
