import type { Account } from '../../../lib/account'
import type { NodeStateOptions } from '../../../lib/collect/node-state'
import { readMoment } from '../../../lib/collect/period'
import type { PollOptions } from '../../../lib/collect/poll'
import type { Start } from '../../../lib/collect/record-cursor'
import { EnvlogError } from '../../../lib/errors'
import type { SettingsOf } from './action-settings'

/** How the news of a node are delivered, by its settings. */
export function toDeliveryOptions(
  { time, advance, ackTimeout }: Pick<SettingsOf<'envlog-alerts'>, 'time' | 'advance' | 'ackTimeout'>,
  node: string,
): Pick<PollOptions, 'time' | 'node' | 'receipts'> {
  return { time, node, receipts: advance === 'acknowledged' ? { timeoutMs: ackTimeout * 1000 } : null }
}

/** What the state of a node has to know of it when it is made. */
export function toNodeStateOptions(type: string, account: Account, settings: object): NodeStateOptions {
  const { time, start, backfill, advance, ackTimeout } = settings as Partial<SettingsOf<'envlog-latest'>>
  return {
    // What was fetched by others has other times, begins elsewhere, or is of another account.
    settingsKey: JSON.stringify([account.id, time, start, backfill]),
    receiptTimeoutMs: advance === 'acknowledged' && ackTimeout !== undefined ? ackTimeout * 1000 : null,
    ...(type === 'envlog-latest' && { cursorKind: 'records' }),
    ...(type === 'envlog-alerts' && { cursorKind: 'alerts' }),
  }
}

/** `held`, `now`, or a time; one without an offset is UTC. @throws EnvlogError `start-unreadable` */
export function readStart(text: string | number): Start {
  if (text === 'held' || text === 'now') return text
  try {
    const moment = readMoment(text, 'start')
    return { since: 'instant' in moment ? moment.instant : moment.wallClock }
  } catch {
    throw new EnvlogError('start-unreadable')
  }
}
