/** An address that accepts messages for a chat, as JSON in one of three formats, and may refuse them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Chat {
  url: string
  /** The messages accepted so far, as users read them. */
  readonly texts: readonly string[]
  /** The same in the received form. */
  readonly bodies: readonly Body[]
  /** Number of refusals so far. */
  readonly refused: number
  /** From now on, or no longer. */
  refuse(refuses: boolean): void
  close(): Promise<void>
}

/** Slack: only `text`; Teams: a card; plain JSON: a text and fields. */
export interface Body {
  text?: string
  attachments?: { content: { body: { inlines: { text: string }[] }[] } }[]
  [field: string]: unknown
}

export async function startChat(): Promise<Chat> {
  const texts: string[] = []
  const bodies: Body[] = []
  let refuses = false
  let refused = 0
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Body
    if (refuses) refused++
    else {
      texts.push(body.attachments ? readCard(body) : readText(body))
      bodies.push(body)
    }
    // 202 is the response of a chat that shows the message later.
    response.writeHead(refuses ? 503 : 202).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/envlog`,
    texts,
    bodies,
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

function readText({ text: message = '', ...fields }: Body): string {
  if (Object.keys(fields).length > 0) return message
  const plain = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return message.replace(/&(?:lt|gt|amp);/g, (escaped) => plain[escaped as keyof typeof plain])
}

/** One line of the card each, all of it plain text: nothing is interpreted as Markdown. */
function readCard(body: Body): string {
  const lines = (body.attachments ?? []).flatMap(({ content }) =>
    content.body.map(({ inlines }) => inlines[0]?.text ?? ''),
  )
  const card = {
    type: 'AdaptiveCard',
    version: '1.2',
    body: lines.map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] })),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  assert.deepEqual(body, { type: 'message', attachments: [{ contentType, content: card }] })
  return lines.join('\n')
}
