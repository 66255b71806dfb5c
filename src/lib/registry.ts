import { createHash } from 'node:crypto'
import type { Clock } from './clock'
import { DevicesState } from './collect/account-devices'
import { NodeState } from './collect/node-state'
import { Quota } from './quota/quota'

/** Above this number of accounts, the oldest unused ones are deleted; above this number of logins, the oldest ones. */
export const MAX_ENTRIES = 100

interface Login {
  baseUrl: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
}

/** State that the nodes of one account share, and that outlives deploys. */
export interface SharedAccountState {
  /**
   * One per address and API key, because a user ID and its reference-only ID share one quota (docs/service.md,
   * *Limits*).
   */
  quota: Quota
  /**
   * One per address, API key, login, password and `triedBy`, because a user with a wrong password must never get a
   * cached response.
   */
  devices: DevicesState
}

/** The state of all accounts and nodes of a process. Keys are hashes, because they are derived from secrets. */
export class Registry {
  readonly #clock: Clock
  readonly #quotas = new Map<string, Quota>()
  readonly #devices = new Map<string, DevicesState>()
  readonly #nodeStates = new Map<string, NodeState>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param triedBy the user who tests a login in the editor, and gets a separate list for it */
  getOrCreateShared(of: Login, triedBy?: string): SharedAccountState {
    const { account, login } = keysOf(of, triedBy)
    const quota = getOrCreate(this.#quotas, account, () => new Quota(this.#clock))
    const devices = getOrCreate(this.#devices, login, () => new DevicesState())
    // Each login that is tested in the editor adds an entry, so old entries are deleted.
    deleteOldest(this.#quotas, (other) => other === quota || other.isUsed())
    deleteOldest(this.#devices, (other) => other === devices)
    return { quota, devices }
  }

  /** What already exists of that state. This does not make it newer. */
  findShared(of: Login, triedBy?: string): Partial<SharedAccountState> {
    const { account, login } = keysOf(of, triedBy)
    const [quota, devices] = [this.#quotas.get(account), this.#devices.get(login)]
    return { ...(quota && { quota }), ...(devices && { devices }) }
  }

  /** The state of a node by its id. Call `forget` when the node is removed. */
  getOrCreateNodeState(node: string): NodeState {
    const retainedByAll = () =>
      [...this.#nodeStates.values()].reduce((sum, { devices }) => sum + devices.retainedCount, 0)
    return getOrCreate(this.#nodeStates, node, () => new NodeState(this.#clock, retainedByAll))
  }

  forget(node: string): void {
    this.#nodeStates.delete(node)
  }

  /** Clears everything, as in a new process, for tests. */
  clear(): void {
    for (const states of [this.#quotas, this.#devices, this.#nodeStates]) states.clear()
  }
}

function keysOf({ baseUrl, credentials: { apiKey, loginId, loginPass } }: Login, triedBy?: string) {
  const user = triedBy === undefined ? 'used' : `tried by ${triedBy}`
  return { account: accountKey(baseUrl, apiKey), login: hash(user, baseUrl, apiKey, loginId, loginPass) }
}

/** The key of an account in a shared quota store: a hash, which does not reveal the API key. */
export function accountKey(baseUrl: string, apiKey: string): string {
  return hash(baseUrl, apiKey)
}

/** Returns the entry, and makes it the newest one. */
function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make()
  map.delete(key)
  map.set(key, found)
  return found
}

function deleteOldest<T>(map: Map<string, T>, isUsed: (value: T) => boolean): void {
  for (const [key, value] of map) if (map.size > MAX_ENTRIES && !isUsed(value)) map.delete(key)
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
