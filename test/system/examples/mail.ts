/** A mail server on loopback that accepts or refuses mails, with the mail node's own dependencies. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { paletteFolder } from '../../support/palette'

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

export async function startMailServer() {
  const folder = join(await paletteFolder(), 'node_modules/node-red-node-email')
  const load = createRequire(join(folder, 'package.json'))
  const { simpleParser } = load('mailparser')
  const { SMTPServer } = load('smtp-server')
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onData(stream: Readable, _session: object, done: (error?: Error) => void) {
      const { from, to, subject, text, html } = await simpleParser(stream)
      if (mail.refuses) {
        mail.refused++
        return done(new Error('not now'))
      }
      mail.mails.push({ from: from.text, to: to.text, subject, text: text.trim(), html })
      done()
    },
  })
  // The sender was killed in the meantime.
  smtp.on('error', () => {})
  const server: Server = smtp.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mail = {
    port: (server.address() as AddressInfo).port,
    /** The accepted mails; `html` is false if a mail is only plain text. */
    mails: [] as (Record<'from' | 'to' | 'subject' | 'text', string> & { html: string | false })[],
    /** Set by tests. */
    refuses: false,
    /** Number of refusals so far. */
    refused: 0,
    close: () => new Promise((resolve) => smtp.close(resolve)),
  }
  return mail
}
