/** A webhook of a chat: accepts messages as JSON with a `text`, and can refuse them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Chat {
  url: string
  /** The accepted messages. */
  readonly texts: readonly string[]
  /** How many were refused so far. */
  readonly refused: number
  /** From now on, or no more. */
  refuse(refuses: boolean): void
  close(): Promise<void>
}

export async function startChat(): Promise<Chat> {
  const texts: string[] = []
  let refuses = false
  let refused = 0
  const server = createServer(async (request, response) => {
    const message = JSON.parse(await text(request)) as { text: string }
    if (refuses) refused++
    else texts.push(message.text)
    response.writeHead(refuses ? 503 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/envlog`,
    texts,
    get refused() {
      return refused
    },
    refuse: (wanted) => {
      refuses = wanted
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
