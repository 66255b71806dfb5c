import type { Account } from '../../lib/account'
import type { Opening } from '../../lib/collect/node-state'
import { readMoment } from '../../lib/collect/period'
import type { NewsWish } from '../../lib/collect/poll'
import type { Start } from '../../lib/collect/record-cursor'
import { EnvlogError } from '../../lib/errors'
import type { SettingsOf } from './settings'

/** How the news of a node are delivered, by its settings. */
export function newsWish(
  { time, advance, ackTimeout }: Pick<SettingsOf<'envlog-alerts'>, 'time' | 'advance' | 'ackTimeout'>,
  node: string,
): Pick<NewsWish, 'time' | 'node' | 'acknowledged'> {
  return { time, node, acknowledged: advance === 'acknowledged' ? { timeout: ackTimeout * 1000 } : null }
}

/** What its memory has to know of a node when it is made. */
export function openingOf(type: string, account: Account, settings: object): Opening {
  const { time, start, backfill, advance, ackTimeout } = settings as Partial<SettingsOf<'envlog-latest'>>
  return {
    // What was fetched by others has other times, begins elsewhere, or is of another account.
    shape: JSON.stringify([account.id, time, start, backfill]),
    receipts: advance === 'acknowledged' && ackTimeout !== undefined ? ackTimeout * 1000 : null,
    ...(type === 'envlog-latest' && { kind: 'records' }),
    ...(type === 'envlog-alerts' && { kind: 'alerts' }),
  }
}

/** `held`, `now`, or a time; one without an offset is UTC. @throws EnvlogError `start-unreadable` */
export function startOf(text: string | number): Start {
  if (text === 'held' || text === 'now') return text
  try {
    const moment = readMoment(text, 'start')
    return { since: 'instant' in moment ? moment.instant : moment.wallClock }
  } catch {
    throw new EnvlogError('start-unreadable')
  }
}
