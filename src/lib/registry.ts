import { createHash } from 'node:crypto'
import type { Clock } from './clock'
import { DevicesState } from './collect/account-devices'
import { NodeState } from './collect/node-state'
import { Quota } from './quota/quota'

/** Maximum number of unused accounts and logins to keep. */
const MAX_UNUSED = 100

interface Login {
  baseUrl: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
}

/** State that the nodes of one account share, and that outlives deploys. */
export interface SharedAccountState {
  /** One per address and API key: a user ID and its reference-only ID share one quota (docs/service.md, *Limits*). */
  quota: Quota
  /** One per address, API key, login, password and `triedBy`: a wrong password must never get a cached response. */
  devices: DevicesState
}

export interface Registry {
  /** @param triedBy the user who tests a login in the editor, and gets a separate list for it */
  getOrCreateShared(login: Login, triedBy?: string): SharedAccountState
  /** The state of a node by its id; call `forget` when the node is removed. */
  getOrCreateNodeState(node: string): NodeState
  forget(node: string): void
  /** Clears everything, as in a new process, for tests. */
  clear(): void
}

/** The state of all accounts and nodes of a process. Keys are hashes, because they are derived from secrets. */
export function createRegistry(clock: Clock): Registry {
  const quotas = new Map<string, Quota>()
  const devices = new Map<string, DevicesState>()
  const nodeStates = new Map<string, NodeState>()
  const retainedByAll = () =>
    [...nodeStates.values()].reduce((sum, { retainedCount }) => sum + retainedCount, 0)
  return {
    getOrCreateShared({ baseUrl, credentials: { apiKey, loginId, loginPass } }, triedBy) {
      const account = accountKey(baseUrl, apiKey)
      return {
        quota: getOrCreateRecent(
          quotas,
          account,
          () => new Quota(clock),
          (quota) => quota.isUsed(),
        ),
        devices: getOrCreateRecent(
          devices,
          hash(triedBy === undefined ? 'used' : `tried by ${triedBy}`, baseUrl, apiKey, loginId, loginPass),
          () => new DevicesState(),
        ),
      }
    },
    getOrCreateNodeState: (node) => getOrCreate(nodeStates, node, () => new NodeState(clock, retainedByAll)),
    forget(node) {
      nodeStates.delete(node)
    },
    clear() {
      quotas.clear()
      nodeStates.clear()
      devices.clear()
    },
  }
}

/** The key of an account in a shared quota store: a hash, which does not reveal the API key. */
export function accountKey(baseUrl: string, apiKey: string): string {
  return hash(baseUrl, apiKey)
}

/** Like `getOrCreate`, but deletes the oldest unused entries: each login that is tested in the editor adds one. */
function getOrCreateRecent<T>(
  map: Map<string, T>,
  key: string,
  make: () => T,
  isUsed: (one: T) => boolean = () => false,
): T {
  const found = getOrCreate(map, key, make)
  map.delete(key)
  map.set(key, found)
  for (const [other, one] of map) {
    if (map.size <= MAX_UNUSED) break
    if (!isUsed(one)) map.delete(other)
  }
  return found
}

function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
