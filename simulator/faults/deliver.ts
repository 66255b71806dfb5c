/** Sends a response as its `Delivery` specifies. Stops if the client disconnects. */
import type { ServerResponse } from 'node:http'
import type { Delivery } from './effects'

export function deliver(res: ServerResponse, delivery: Delivery): void {
  if (delivery.delay > 0) schedule(res, delivery.delay, () => send(res, delivery))
  else send(res, delivery)
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
  if (how === 'drip') drip(res, delivery, 0)
}

/**
 * Closes the connection once the headers and the part have been sent. If it were closed earlier, nothing would arrive.
 */
function cut(res: ServerResponse, part: Buffer): void {
  res.flushHeaders()
  if (part.length === 0) setImmediate(() => res.socket?.destroy())
  else res.write(part, () => res.socket?.destroy())
}

function drip(res: ServerResponse, delivery: Delivery, from: number): void {
  const to = from + delivery.piece
  if (to >= delivery.body.length) {
    res.end(delivery.body.subarray(from))
    return
  }
  res.write(delivery.body.subarray(from, to))
  schedule(res, delivery.pause, () => drip(res, delivery, to))
}

function schedule(res: ServerResponse, ms: number, run: () => void): void {
  const timer = setTimeout(() => {
    res.off('close', stop)
    run()
  }, ms)
  const stop = () => clearTimeout(timer)
  res.once('close', stop)
}
