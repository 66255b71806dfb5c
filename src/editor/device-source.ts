import type { DeviceList } from '../shared/admin'
import { isEnvVariable } from '../shared/schema'
import { readAccountNode } from './account-draft'
import { AdminRequestError, requestAdmin } from './admin-request'
import { translate } from './red'

export type DeviceState =
  /** Not requested yet. */
  | { kind: 'unknown' }
  | { kind: 'loading'; list?: DeviceList | undefined }
  | { kind: 'loaded'; list: DeviceList }
  /** `why` is a sentence; an older list can still be used. */
  | { kind: 'failed'; why: string; list?: DeviceList | undefined }

/** The devices of the account chosen in a form: one list for all parts of the form. */
export interface DeviceSource {
  state(): DeviceState
  /** Loads the list that the runtime has cached. Sends no request to the service. */
  loadCached(): Promise<void>
  /** Loads the list: at most ten minutes old, or newly requested with `refresh`. */
  load(refresh?: boolean): Promise<void>
  /** Calls the listener on every change. Returns a function that removes it. */
  listen(changed: () => void): () => void
}

/** @param accountId returns the id of the currently chosen account */
export function createDeviceSource(accountId: () => string): DeviceSource {
  let state: DeviceState = { kind: 'unknown' }
  let lastRequest = 0
  const listeners = new Set<() => void>()

  function setState(next: DeviceState): void {
    state = next
    for (const changed of listeners) changed()
  }

  const listOf = (of: DeviceState) => (of.kind === 'unknown' ? undefined : of.list)

  async function fetchList(body: object): Promise<DeviceList | null | undefined> {
    const number = ++lastRequest
    // In a subflow, the account may be one of its properties.
    if (isEnvVariable(accountId())) throw new AdminRequestError(translate('ask.account-variable'))
    const account = readAccountNode(accountId())
    if (!account) throw new AdminRequestError(translate('errors.no-account'))
    try {
      const list = await requestAdmin<DeviceList | null>('devices', { ...body, account })
      if (number === lastRequest) return list
    } catch (error) {
      if (number === lastRequest) throw error
    }
    // Another account has been chosen in the meantime: the response is not for it.
    return undefined
  }

  return {
    state: () => state,

    async loadCached() {
      setState({ kind: 'unknown' })
      try {
        const list = await fetchList({ cached: true })
        if (list) setState({ kind: 'loaded', list })
      } catch {
        // The user did not ask for it, so there is nothing to report.
      }
    },

    async load(refresh = false) {
      const before = listOf(state)
      setState({ kind: 'loading', list: before })
      try {
        const list = await fetchList({ refresh })
        if (list) setState({ kind: 'loaded', list })
      } catch (error) {
        setState({ kind: 'failed', why: (error as Error).message, list: before })
      }
    },

    listen(changed) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

/** The list, if there is one, in any state. */
export function getDeviceList(source: DeviceSource): DeviceList | undefined {
  const state = source.state()
  return state.kind === 'unknown' ? undefined : state.list
}
