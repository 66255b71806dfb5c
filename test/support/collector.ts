/** An HTTP server that stores messages posted by a flow, in boxes named by the last part of the path. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Message } from './flow-types'

export interface Collector {
  url: string
  /** All messages of a box so far. */
  box(name: string): Message[]
  /** The next `count` messages of a box. */
  receive(name: string, count: number): Promise<Message[]>
  /** Empties all boxes. */
  clear(): void
  /** The raw text of everything received so far. */
  rawText(): string
  close(): Promise<void>
}

interface Box {
  messages: Message[]
  taken: number
  resolvePending(): void
}

export async function startCollector(): Promise<Collector> {
  const boxes = new Map<string, Box>()
  let raw = ''
  const boxOf = (name: string): Box => {
    const found = boxes.get(name) ?? { messages: [], taken: 0, resolvePending() {} }
    boxes.set(name, found)
    return found
  }

  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    // The sender was killed in the meantime.
    if (body === undefined) return
    raw += body
    response.end()
    const box = boxOf(String(request.url).slice(1))
    box.messages.push(JSON.parse(body))
    box.resolvePending()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    box: (name) => boxOf(name).messages,
    clear: () => boxes.clear(),
    rawText: () => raw,
    receive: (name, count) =>
      new Promise((resolve) => {
        const box = boxOf(name)
        box.resolvePending = () => {
          if (box.messages.length - box.taken < count) return
          box.resolvePending = () => {}
          const from = box.taken
          box.taken += count
          resolve(box.messages.slice(from, box.taken))
        }
        box.resolvePending()
      }),
    close: () => closeServer(server),
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
