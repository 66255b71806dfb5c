/** An address that accepts messages for a chat, as JSON in one of five formats, and may refuse them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Chat = Awaited<ReturnType<typeof startChat>>

/** Slack: only `text`; Teams: a card; Telegram and LINE: a text and the id of a chat; plain JSON: a text and fields. */
export interface Body {
  text?: string
  chat_id?: string
  to?: string
  messages?: { type: string; text: string }[]
  attachments?: { content: { body: { inlines: { text: string }[] }[] } }[]
  [field: string]: unknown
}

export async function startChat() {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Body
    chat.authorization = request.headers.authorization
    if (chat.refuses || chat.hangsUp) chat.refused++
    else {
      chat.texts.push(read(body))
      chat.bodies.push(body)
    }
    if (chat.hangsUp) response.destroy()
    // 202 is the response of a chat that shows the message later.
    else response.writeHead(chat.refuses ? 503 : 202).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const chat = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/envlog`,
    /** The messages accepted so far, as users read them. */
    texts: [] as string[],
    /** The messages in the form received. */
    bodies: [] as Body[],
    /** Of the last request. */
    authorization: undefined as string | undefined,
    /** Set by tests. */
    refuses: false,
    /** Set by tests: closes connections instead of responding. */
    hangsUp: false,
    /** Number of refusals so far, of both kinds. */
    refused: 0,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return chat
}

function read(body: Body): string {
  if (body.attachments) return readCard(body)
  const { to, messages = [] } = body
  return to === undefined ? readText(body) : messages.map((message) => message.text).join('\n')
}

function readText({ text: message = '', ...fields }: Body): string {
  if (Object.keys(fields).length > 0) return message
  const plain = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return message.replace(/&(?:lt|gt|amp);/g, (escaped) => plain[escaped as keyof typeof plain])
}

/** The lines of a card, all of them plain text: nothing is interpreted as Markdown. */
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
