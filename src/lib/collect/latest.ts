import type { Account } from '../account'
import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import { type Collected, collectedOf, collectRaw, type Form, readPart, readRecords } from './records'

/** The newest 300 records of a device (endpoints 2 and 3). @throws EnvlogError */
export async function collectLatest(
  account: Account,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  asker: Asker,
): Promise<Collected> {
  if (form !== 'read') return collectRaw(account, 'latest', target, { type: form }, asker)
  const answer = await readRecords(account, 'latest', target, {}, asker)
  const { part, failed } = await readPart(target, answer, { time }, asker.signal)
  return { ...collectedOf(target, answer, { kind: 'series', series: mergeSeries([part]) }), failed }
}
