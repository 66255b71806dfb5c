import type { Node, NodeAPI } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import type { StateStore } from '../../../lib/state-store'
import type { ContextStore } from '../../../shared/admin'

/** Names that mean the store Node-RED uses without being told. */
const DEFAULTS = ['', 'default', 'memory']

/** The stores that the settings file names, or the one that there is without: in memory. */
export function listContextStores(RED: NodeAPI): ContextStore[] {
  const { contextStorage = { default: 'memory' } } = RED.settings as { contextStorage?: object }
  return Object.entries(contextStorage).map(([name, store]) => {
    // The name of another store, or of a module, or settings with a module in them.
    const meant =
      typeof store === 'string' ? ((contextStorage as Record<string, unknown>)[store] ?? store) : store
    return { name, persistent: (meant?.module ?? meant) !== 'memory' }
  })
}

type Done<T> = (error: unknown, value?: T) => void

/** As Node-RED's context takes them; the callback forms, because some stores have no others. */
interface Context {
  get(key: string, store: string | undefined, done: Done<unknown>): void
  set(key: string, value: unknown, store: string | undefined, done: Done<void>): void
}

/**
 * State of a node in a context store of Node-RED, blank for the default one.
 * @param onWriteError called when a write fails and the one before did not
 * @throws EnvlogError `store-unknown`: Node-RED itself would take another one without a word
 */
export function createContextStore(
  RED: NodeAPI,
  node: Node,
  name: string,
  key: string,
  onWriteError: (error: Error) => void,
): StateStore {
  const stores = (RED.settings as { contextStorage?: object }).contextStorage
  if (!DEFAULTS.includes(name) && !(stores && Object.hasOwn(stores, name))) {
    throw new EnvlogError('store-unknown', { store: name })
  }
  const store = DEFAULTS.includes(name) && !(stores && Object.hasOwn(stores, name)) ? undefined : name
  const context = () => node.context() as unknown as Context
  return {
    onWriteError,
    load: () =>
      new Promise((resolve, reject) => {
        context().get(key, store, (error, value) => (error ? reject(error) : resolve(value)))
      }),
    save: (state) =>
      new Promise((resolve, reject) => {
        context().set(key, state, store, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
