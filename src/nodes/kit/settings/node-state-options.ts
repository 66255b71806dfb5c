import type { Account } from '../../../lib/account'
import type { NodeStateOptions } from '../../../lib/collect/node-state'
import type { SettingsOf } from '../../../shared/action-schemas'

/** The options that a node's state depends on. */
export function toNodeStateOptions(type: string, account: Account, settings: object): NodeStateOptions {
  const { time, onlyNew = false, advance, ackTimeout } = settings as Partial<SettingsOf<'envlog-latest'>>
  return {
    // Data fetched for another account, or with another time style, is discarded.
    settingsKey: JSON.stringify([account.id, time === 'local' ? account.localTime : 'utc']),
    sendsOnlyNew: onlyNew,
    receiptTimeoutMs: advance === 'acknowledged' && ackTimeout !== undefined ? ackTimeout * 1000 : null,
    ...(type === 'envlog-latest' && { cursorKind: 'records' }),
    ...(type === 'envlog-alerts' && { cursorKind: 'alerts' }),
  }
}
