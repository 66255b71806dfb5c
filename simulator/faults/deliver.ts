/** Sends a response as its `Delivery` describes; stops if the client disconnects. */
import type { ServerResponse } from 'node:http'
import type { Delivery } from './effects'

export function deliver(res: ServerResponse, delivery: Delivery): void {
  if (delivery.delay > 0) later(res, delivery.delay, () => send(res, delivery))
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
  if (how === 'whole') res.end(body)
  if (how === 'cut') cut(res, body.subarray(0, Math.floor(body.length * delivery.share)))
  if (how === 'drip') drip(res, delivery, 0)
}

/** Sends a part and then closes the connection; if it were closed earlier, nothing would arrive. */
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
  later(res, delivery.pause, () => drip(res, delivery, to))
}

function later(res: ServerResponse, ms: number, act: () => void): void {
  const timer = setTimeout(() => {
    res.off('close', stop)
    act()
  }, ms)
  const stop = () => clearTimeout(timer)
  res.once('close', stop)
}
