import type { Answer } from '../api/client'
import type { QuotaReading } from '../api/headers'
import type { Device } from '../readings/device'

/** `msg.envlog`: about the answer (docs/messages.md). */
export interface About {
  node: 'current' | 'latest' | 'range' | 'alerts'
  /** The endpoint that answered last; `receivedAt` and `quota` are of that answer. */
  endpoint: string
  account: string
  receivedAt: string
  quota: QuotaReading
  device?: { serial: string; name: string; base: string }
  range?: { from: string; to: string }
}

export function about(
  node: About['node'],
  account: string,
  { endpoint, receivedAt, quota }: Omit<Answer<unknown>, 'body'>,
): About {
  return { node, endpoint, account, receivedAt: new Date(receivedAt).toISOString(), quota: { ...quota } }
}

/** The same where the message is about one device. */
export function aboutDevice(
  node: About['node'],
  account: string,
  answer: Omit<Answer<unknown>, 'body'>,
  { serial, name, base }: Device,
): About {
  return { ...about(node, account, answer), device: { serial, name, base: base.serial } }
}
