import type { Account } from '../account'
import type { Answer } from '../api/client'
import type { GraphEnvelope } from '../api/envelopes'
import { readSeries, type Series } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import { isStandalone, type Target } from './devices'

export interface SeriesResult {
  answer: Answer<GraphEnvelope>
  series: Series
}

/** The newest 300 records of a device (endpoints 2 and 3). @throws EnvlogError */
export async function fetchLatest(
  account: Account,
  target: Target,
  time: TimeStyle,
  signal: AbortSignal,
): Promise<SeriesResult> {
  const { serial, base } = target
  const answer = isStandalone(target)
    ? await account.client.read('latest-data', { 'remote-serial': serial }, signal)
    : await account.client.read('latest-data-relay', { 'remote-serial': serial, 'base-serial': base }, signal)
  return { answer, series: readSeries(answer.body, time) }
}
