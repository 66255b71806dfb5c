/** The effect of each kind of fault on a response. */
import type { Cause } from '../errors'
import type { Fault, FaultKind } from './fault-plan'

/** A response, and how it is sent. */
export interface Delivery {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  /**
   * `drop`: nothing is sent, and the connection is closed. `cut`: headers and a part are sent, then the connection is
   * closed. `silence`: nothing is sent, and the connection remains open.
   */
  how: 'complete' | 'drop' | 'cut' | 'silence'
  /** ms */
  delay: number
}

/** Creates the error object of the service as JSON text. */
export type ErrorText = (why: Cause, status: number) => Buffer

type Effect = (delivery: Delivery, fault: Fault, errorText: ErrorText) => Partial<Delivery>

const html =
  '<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Please try again later</h1></body></html>'

const causeOf: Readonly<Record<number, Cause>> = { 401: 'credentials', 403: 'forbidden', 429: 'rate' }

const effects: Readonly<Record<FaultKind, Effect>> = {
  delay: () => ({}),
  drop: () => ({ how: 'drop', status: 0 }),
  dropMidBody: () => ({ how: 'cut' }),
  status: (delivery, fault, errorText) => statusEffect(delivery, fault.status ?? 500, errorText),
  // The length is correct, but the text is not JSON.
  brokenJson: ({ body }) => ({ body: Buffer.from(body.toString().replace(/[:,]/, ';')) }),
  truncatedJson: ({ body }) => ({ body: body.subarray(0, Math.max(1, Math.floor(body.length * 0.7))) }),
  html: ({ headers }, fault) => ({
    status: fault.status ?? 200,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
    body: Buffer.from(html),
  }),
  errorWith200: (_, fault, errorText) => ({ status: 200, body: errorText('status', fault.status ?? 500) }),
  silence: () => ({ how: 'silence', status: 0 }),
  body: (_, fault) => ({ status: fault.status ?? 200 }),
}

function statusEffect({ headers }: Delivery, status: number, errorText: ErrorText): Partial<Delivery> {
  // A refusal must report that no requests remain, because clients may otherwise not accept it as one.
  const remaining: Record<string, string> =
    status === 429 && 'X-RateLimit-Remaining' in headers ? { 'X-RateLimit-Remaining': '0' } : {}
  return {
    status,
    headers: { ...headers, ...remaining, 'Content-Type': 'application/json; charset=utf-8' },
    body: errorText(causeOf[status] ?? 'status', status),
  }
}

export function applyFaults(response: Delivery, faults: readonly Fault[], errorText: ErrorText): Delivery {
  return faults.reduce((delivery, fault) => applyFault(delivery, fault, errorText), response)
}

function applyFault(delivery: Delivery, fault: Fault, errorText: ErrorText): Delivery {
  const changed = { ...delivery, ...effects[fault.kind](delivery, fault, errorText) }
  return {
    ...changed,
    delay: delivery.delay + (fault.delay ?? 0),
    body: fault.body === undefined ? changed.body : Buffer.from(fault.body),
    headers: { ...changed.headers, ...fault.headers },
  }
}
