/** Sends a response as its `Delivery` specifies. Stops if the client disconnects. */
import type { ServerResponse } from 'node:http'
import type { Delivery } from './effects'

export function deliver(res: ServerResponse, delivery: Delivery): void {
  if (delivery.delay > 0) {
    const timer = setTimeout(() => send(res, delivery), delivery.delay)
    res.once('close', () => clearTimeout(timer))
  } else send(res, delivery)
}

function send(res: ServerResponse, delivery: Delivery): void {
  const { how, status, headers, body } = delivery
  if (how === 'silence') return
  if (how === 'drop') {
    res.socket?.destroy()
    return
  }
  res.writeHead(status, { ...headers, 'Content-Length': body.length })
  if (how === 'complete') res.end(body)
  if (how === 'cut') cut(res, body.subarray(0, Math.floor(body.length / 2)))
}

/**
 * Closes the connection once the headers and the part have been sent. If it were closed earlier, nothing would arrive.
 */
function cut(res: ServerResponse, part: Buffer): void {
  res.flushHeaders()
  if (part.length === 0) setImmediate(() => res.socket?.destroy())
  else res.write(part, () => res.socket?.destroy())
}
