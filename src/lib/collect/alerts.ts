import type { Account } from '../account'
import type { Asker } from '../quota/asker'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import {
  alertParams,
  type Collected,
  collectedOf,
  type Form,
  rawContent,
  readEntries,
  readLog,
} from './records'

/** The newest 20 alert log entries of a device (endpoint 6). @throws EnvlogError */
export async function collectAlerts(
  account: Account,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  asker: Asker,
): Promise<Collected> {
  if (form !== 'read') {
    const answer = await account.client.readRaw('alert', alertParams(target), asker)
    return collectedOf(target, answer, rawContent(target, answer.body))
  }
  const answer = await readEntries(account, target, asker)
  const { log, failed } = await readLog(target, answer, time)
  return { ...collectedOf(target, answer, { kind: 'alerts', ...log }), failed }
}
