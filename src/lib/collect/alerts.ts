import type { Account } from '../account'
import type { Answer } from '../api/client'
import type { AlertEnvelope } from '../api/envelopes'
import { type AlertLog, readAlerts } from '../readings/alerts'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'

export interface AlertResult extends AlertLog {
  answer: Answer<AlertEnvelope>
}

/** The newest 20 alert log entries of a device (endpoint 6). @throws EnvlogError */
export async function fetchAlerts(
  account: Account,
  { serial, base }: Target,
  time: TimeStyle,
  signal: AbortSignal,
): Promise<AlertResult> {
  const answer = await account.client.read('alert', { 'remote-serial': serial, 'base-serial': base }, signal)
  return { answer, ...readAlerts(answer.body, time) }
}
