import type { NewsWish } from '../../lib/collect/news'
import { readMoment } from '../../lib/collect/period'
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

/** What was fetched by other settings than these is of no use: it has other times, or begins elsewhere. */
export function shapeOf(settings: object): string {
  const { time, start, backfill } = settings as Partial<SettingsOf<'envlog-latest'>>
  return JSON.stringify([time, start, backfill])
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
