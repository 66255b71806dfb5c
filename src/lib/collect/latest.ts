import type { Account } from '../account'
import { readSeries } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import { type Collected, collectedOf, collectRaw, type Form, readRecords } from './records'

/** The newest 300 records of a device (endpoints 2 and 3). @throws EnvlogError */
export async function collectLatest(
  account: Account,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  signal: AbortSignal,
): Promise<Collected> {
  if (form !== 'read') return collectRaw(account, 'latest', target, { type: form }, signal)
  const answer = await readRecords(account, 'latest', target, {}, signal)
  return collectedOf(target, answer, { kind: 'series', series: readSeries(answer.body, time) })
}
