import type { DeviceList } from '../shared/admin'
import { readAccountNode } from './account-draft'
import { AdminRequestError, ask } from './admin-request'
import { words } from './red'

export type DeviceState =
  /** Not asked for. */
  | { kind: 'unknown' }
  | { kind: 'asking'; list?: DeviceList | undefined }
  | { kind: 'here'; list: DeviceList }
  /** Why not; an older list is still of use. */
  | { kind: 'failed'; why: string; list?: DeviceList | undefined }

/** The devices of the account that a form has chosen: one list for all its parts. */
export interface DeviceSource {
  state(): DeviceState
  /** What the runtime knows already: asks the service nothing. */
  look(): Promise<void>
  /** At most ten minutes old, or asked for anew. */
  load(anew?: boolean): Promise<void>
  /** Told at each change; call what is returned to hear no more. */
  listen(changed: () => void): () => void
}

/** @param accountId of the account that is chosen now */
export function createDeviceSource(accountId: () => string): DeviceSource {
  let state: DeviceState = { kind: 'unknown' }
  let asked = 0
  const listeners = new Set<() => void>()

  function become(next: DeviceState): void {
    state = next
    for (const changed of listeners) changed()
  }

  const listOf = (of: DeviceState) => (of.kind === 'unknown' ? undefined : of.list)

  async function answer(body: object): Promise<DeviceList | null | undefined> {
    const turn = ++asked
    const account = readAccountNode(accountId())
    if (!account) throw new AdminRequestError(words('errors.no-account'))
    try {
      const list = await ask<DeviceList | null>('devices', { ...body, account })
      if (turn === asked) return list
    } catch (error) {
      if (turn === asked) throw error
    }
    // Another account was chosen meanwhile: neither list nor reason is of this one.
    return undefined
  }

  return {
    state: () => state,

    async look() {
      become({ kind: 'unknown' })
      try {
        const list = await answer({ known: true })
        if (list) become({ kind: 'here', list })
      } catch {
        // Nobody asked for it.
      }
    },

    async load(anew = false) {
      const before = listOf(state)
      become({ kind: 'asking', list: before })
      try {
        const list = await answer({ anew })
        if (list) become({ kind: 'here', list })
      } catch (error) {
        become({ kind: 'failed', why: (error as Error).message, list: before })
      }
    },

    listen(changed) {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

/** The devices that are known, whatever else is. */
export function getDeviceList(source: DeviceSource): DeviceList | undefined {
  const state = source.state()
  return state.kind === 'unknown' ? undefined : state.list
}
