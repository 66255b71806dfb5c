/** A mail server on loopback that accepts mails, and can refuse them. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

interface Mail {
  to: string
  from: string
  subject: string
  text: string
}

export interface MailServer {
  port: number
  /** The accepted mails. */
  readonly mails: readonly Mail[]
  /** How many were refused so far. */
  readonly refused: number
  /** From now on, or no more. */
  refuse(refuses: boolean): void
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = []
  const sockets = new Set<Socket>()
  let refuses = false
  let refused = 0
  const take = (mail: Mail): string => {
    if (refuses) {
      refused++
      return '451 not now'
    }
    mails.push(mail)
    return '250 taken'
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    // Whoever sent it was killed meanwhile.
    socket.on('error', () => {})
    converse(socket, take).catch(() => socket.destroy())
  }).listen(0, '127.0.0.1')
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
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** The part of SMTP that a client without encryption and login uses. */
async function converse(socket: Socket, take: (mail: Mail) => string): Promise<void> {
  const say = (line: string) => void socket.write(`${line}\r\n`)
  const envelope = { from: '', to: '' }
  let data: string[] | undefined
  say('220 ready')
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (data && line !== '.') {
      data.push(line.replace(/^\./, ''))
      continue
    }
    if (data) {
      say(take({ ...envelope, ...read(data) }))
      data = undefined
      continue
    }
    const [, address = ''] = /<(.*?)>/.exec(line) ?? []
    if (/^MAIL FROM/i.test(line)) envelope.from = address
    if (/^RCPT TO/i.test(line)) envelope.to = address
    if (/^DATA/i.test(line)) data = []
    say(data ? '354 go on' : /^QUIT/i.test(line) ? '221 bye' : '250 yes')
    if (/^QUIT/i.test(line)) socket.end()
  }
}

/** Of a mail with one part. */
function read(lines: readonly string[]): { subject: string; text: string } {
  const end = lines.indexOf('')
  const head = lines.slice(0, end).join('\n').replace(/\n\s+/g, ' ')
  const body = lines.slice(end + 1).join('\n')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
  const decode: Record<string, (text: string) => string> = {
    'quoted-printable': unquoted,
    base64: (text) => Buffer.from(text, 'base64').toString(),
  }
  const text = decode[header('Content-Transfer-Encoding')]?.(body) ?? body
  return { subject: header('Subject'), text: text.trim() }
}

function unquoted(text: string): string {
  const whole = text.replace(/=\n/g, '')
  return Buffer.from(
    whole.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
}
