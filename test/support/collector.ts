/** An HTTP server that stores messages posted by a flow, in boxes named by the last part of the path. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Message } from './flow-types'

export type Collector = Awaited<ReturnType<typeof startCollector>>

interface Box {
  messages: Message[]
  taken: number
  resolvePending(): void
}

export async function startCollector() {
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All messages of a box so far. */
    box: (name: string) => boxOf(name).messages,
    /** Empties all boxes. */
    clear: () => boxes.clear(),
    /** The raw text of everything received so far. */
    rawText: () => raw,
    /** The next `count` messages of a box. */
    receive: (name: string, count: number) =>
      new Promise<Message[]>((resolve) => {
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
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
