import type { DeviceList } from '../shared/admin'
import { isEnvVariable } from '../shared/schema'
import { readAccountNode } from './account-draft'
import { requestAdmin } from './admin-request'
import { translate } from './red'

export interface DeviceListState {
  kind: 'unknown' | 'loading' | 'loaded' | 'failed'
  /** The last list received. It is kept while a new one is requested, and if that fails. */
  list?: DeviceList | undefined
  /** A sentence that says why the request failed. */
  why?: string
}

/** The devices of the account that is chosen in a form, in one list for all parts of the form. */
export class DeviceSource {
  readonly #accountId: () => string
  readonly #listeners = new Set<() => void>()
  #state: DeviceListState = { kind: 'unknown' }
  #lastRequest = 0

  /** @param accountId returns the id of the currently chosen account */
  constructor(accountId: () => string) {
    this.#accountId = accountId
  }

  get state(): DeviceListState {
    return this.#state
  }

  /** The devices, if they are known, even if a newer list is being requested. */
  get devices(): DeviceList['devices'] | undefined {
    return this.#state.list?.devices
  }

  /** Calls the listener on every change. @returns a function that removes it */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  /**
   * Loads the list, which is at most ten minutes old, or newly requested with `refresh`. With `cached`, it is the list
   * that the runtime has, without a request to the service, and a failure is not reported, because the user did not ask
   * for the list.
   */
  async load({ refresh = false, cached = false } = {}): Promise<void> {
    const number = ++this.#lastRequest
    const list = cached ? undefined : this.#state.list
    this.#set(cached ? { kind: 'unknown' } : { kind: 'loading', list })
    const toFailure = ({ message }: Error): DeviceListState | null =>
      cached ? null : { kind: 'failed', why: message, list }
    const next = await this.#request(cached ? 'cached-devices' : 'devices', { refresh }).catch(toFailure)
    // If another account has been chosen in the meantime, the response is not for it.
    if (next && number === this.#lastRequest) this.#set(next)
  }

  async #request(path: string, body: object): Promise<DeviceListState | null> {
    const id = this.#accountId()
    // In a subflow, the account may be one of its properties.
    if (isEnvVariable(id)) throw new Error(translate('ask.account-variable'))
    const account = readAccountNode(id)
    if (!account) throw new Error(translate('errors.no-account'))
    const list = await requestAdmin<DeviceList | null>(path, { ...body, account })
    return list && { kind: 'loaded', list }
  }

  #set(state: DeviceListState): void {
    this.#state = state
    for (const changed of this.#listeners) changed()
  }
}
