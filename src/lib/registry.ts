import { createHash } from 'node:crypto'
import type { Clock } from './clock'
import { createDirectoryState, type DirectoryState } from './collect/directory'
import { createNodeState, type NodeState } from './collect/node-state'
import { createQuota, type Quota } from './quota/quota'

/** Accounts and logins that are kept though no node uses them any more. */
const MAX_UNUSED = 100

interface Login {
  baseUrl: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
}

/** What outlives a deploy, and what nodes of one account share. */
export interface Shared {
  /** By address and api-key: a user ID and its reference-only ID count together (*Limits*). */
  quota: Quota
  /** By address, api-key, login and password: a wrong password never rides on another node's answer. */
  directory: DirectoryState
}

export interface Registry {
  /** @param isTyped for a login that is only tried, which has a directory of its own */
  getOrCreateShared(login: Login, isTyped?: boolean): Shared
  /** The state of a node; `forget` it when the node is removed. */
  getOrCreateNodeState(node: string): NodeState
  forget(node: string): void
  /** For tests: as in a new process. */
  clear(): void
}

/** The one place of a process for state of accounts; keys are hashes, because they are made of secrets. */
export function createRegistry(clock: Clock): Registry {
  const quotas = new Map<string, Quota>()
  const directories = new Map<string, DirectoryState>()
  const nodeStates = new Map<string, NodeState>()
  const retained = { count: 0 }
  return {
    getOrCreateShared({ baseUrl, credentials: { apiKey, loginId, loginPass } }, isTyped = false) {
      const account = accountKey(baseUrl, apiKey)
      return {
        quota: getOrCreateRecent(
          quotas,
          account,
          () => createQuota(clock, account),
          (quota) => quota.isUsed(),
        ),
        directory: getOrCreateRecent(
          directories,
          hash(`${isTyped}`, baseUrl, apiKey, loginId, loginPass),
          createDirectoryState,
        ),
      }
    },
    getOrCreateNodeState: (node) => getOrCreate(nodeStates, node, () => createNodeState(clock, retained)),
    forget(node) {
      nodeStates.get(node)?.forget('all')
      nodeStates.delete(node)
    },
    clear() {
      quotas.clear()
      nodeStates.clear()
      directories.clear()
    },
  }
}

/** What names an account where several processes share it; tells nothing of the api-key. */
export function accountKey(baseUrl: string, apiKey: string): string {
  return hash(baseUrl, apiKey)
}

/** As `getOrCreate`. The oldest that nobody uses are deleted, because each login that is tried in the editor makes one. */
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
