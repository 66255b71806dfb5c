import { promisify } from 'node:util'
import type { Node, NodeAPI } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { parseOrKeep, type StateStore } from '../../../lib/stored-state'
import type { ContextStore } from '../../../shared/admin'

/** The key of the state in the node's context. */
const KEY = 'cursors'

/** These names mean Node-RED's default store if the settings file does not define a store with that name. */
const DEFAULT_NAMES = ['', 'default', 'memory']

/** The context stores in the settings file; without any, Node-RED has one in memory. */
export function listContextStores(RED: NodeAPI): ContextStore[] {
  const { contextStorage = { default: 'memory' } } = RED.settings as { contextStorage?: object }
  return Object.entries(contextStorage).map(([name, store]) => {
    // An entry is the name of another store, the name of a module, or an object with the module.
    const target =
      typeof store === 'string' ? ((contextStorage as Record<string, unknown>)[store] ?? store) : store
    return { name, persistent: (target?.module ?? target) !== 'memory' }
  })
}

/** Node-RED's context with callbacks, because some stores have no synchronous methods. */
interface Context {
  get(key: string, store: string | undefined, done: (error: Error | null, value?: unknown) => void): void
  set(key: string, value: unknown, store: string | undefined, done: (error: Error | null) => void): void
}

/**
 * Keeps the state of a node in a context store of Node-RED. It is JSON text, because for an object, Node-RED would copy
 * every property at each write and put each one on a separate line of the file.
 * @param name the name of the store; blank for the default store
 * @throws EnvlogError `store-unknown` if Node-RED would silently use the default store
 */
export function createContextStore(RED: NodeAPI, node: Node, name: string): StateStore {
  const { contextStorage } = RED.settings as { contextStorage?: object }
  const isConfigured = !!contextStorage && Object.hasOwn(contextStorage, name)
  if (!isConfigured && !DEFAULT_NAMES.includes(name)) throw new EnvlogError('store-unknown', { store: name })
  const store = isConfigured ? name : undefined
  const context = () => node.context() as unknown as Context
  return {
    place: `${name || 'default'}: ${KEY}`,
    async load() {
      const value = await promisify(context().get)(KEY, store)
      return typeof value === 'string' ? parseOrKeep(value) : value
    },
    save: (text) => promisify(context().set)(KEY, text, store),
  }
}
