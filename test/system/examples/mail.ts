/** A mail server on loopback that accepts or refuses mails, with the mail node's own dependencies. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { paletteFolder } from '../../support/palette'

export interface Mail {
  from: string
  to: string
  subject: string
  text: string
}

export interface MailServer {
  port: number
  /** The accepted mails. */
  readonly mails: readonly Mail[]
  /** Number of refusals so far. */
  readonly refused: number
  /** From now on, or no longer. */
  refuse(refuses: boolean): void
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const folder = join(await paletteFolder(), 'node_modules/node-red-node-email')
  const load = createRequire(join(folder, 'package.json'))
  const { simpleParser } = load('mailparser')
  const { SMTPServer } = load('smtp-server')
  const mails: Mail[] = []
  let refuses = false
  let refused = 0
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onData(stream: Readable, _session: object, done: (error?: Error) => void) {
      const { from, to, subject, text } = await simpleParser(stream)
      if (refuses) {
        refused++
        return done(new Error('not now'))
      }
      mails.push({ from: from.text, to: to.text, subject, text: text.trim() })
      done()
    },
  })
  // The sender was killed in the meantime.
  smtp.on('error', () => {})
  const server: Server = smtp.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    get refused() {
      return refused
    },
    refuse: (wanted) => {
      refuses = wanted
    },
    close: () => new Promise((resolve) => smtp.close(resolve)),
  }
}
