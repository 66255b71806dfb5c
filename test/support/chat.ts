/** An address that takes messages for a chat, as JSON in one of three formats, and may refuse them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** `slack`: `{text}`, `teams`: an Adaptive Card, `json`: a text and fields. */
export const chatFormats = ['slack', 'teams', 'json'] as const

export type ChatFormat = (typeof chatFormats)[number]

export interface Chat {
  url: string
  /** What was taken so far, as people read it. */
  readonly texts: readonly string[]
  /** The same as it came. */
  readonly bodies: readonly object[]
  /** In what format each was. */
  readonly formats: readonly ChatFormat[]
  /** How many were refused so far. */
  readonly refused: number
  /** From now on, or no more. */
  refuse(refuses: boolean): void
  close(): Promise<void>
}

interface Body {
  text?: string
  attachments?: { content: { body: { inlines: { text: string }[] }[] } }[]
}

export async function startChat(): Promise<Chat> {
  const texts: string[] = []
  const bodies: object[] = []
  const formats: ChatFormat[] = []
  let refuses = false
  let refused = 0
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Body
    if (refuses) refused++
    else {
      const { format, message } = readBody(body)
      texts.push(message)
      bodies.push(body)
      formats.push(format)
    }
    // 202 is what a chat answers that shows the message later.
    response.writeHead(refuses ? 503 : 202).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/envlog`,
    texts,
    bodies,
    formats,
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

function readBody(body: Body): { format: ChatFormat; message: string } {
  const { text: message, attachments } = body
  if (attachments) return { format: 'teams', message: readCard(body) }
  assert.ok(typeof message === 'string')
  if (Object.keys(body).length > 1) return { format: 'json', message }
  const plain = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  const shown = message.replace(/&(?:lt|gt|amp);/g, (escaped) => plain[escaped as keyof typeof plain])
  return { format: 'slack', message: shown }
}

/** A line of the card each, all of it plain text: nothing of it is Markdown. */
function readCard(body: Body): string {
  const { attachments = [] } = body
  const lines = attachments.flatMap(({ content }) =>
    content.body.map(({ inlines }) => inlines[0]?.text ?? ''),
  )
  const card = {
    type: 'AdaptiveCard',
    version: '1.2',
    body: lines.map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] })),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  assert.deepEqual(body, { type: 'message', attachments: [{ contentType, content: card }] })
  assert.ok(lines.every((line) => line !== '' && !/[\r\n]/.test(line)))
  return lines.join('\n')
}
