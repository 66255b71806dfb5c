/** Redises that echo the received password in any reply. */
import fc from 'fast-check'
import { seed } from '../chance'
import { type Peer, type PeerBehaviour, startPeer } from '../peers'
import { createEchoAccount, type EchoAccount } from './echo-harness'
import { anyEcho, writeEcho } from './echoes'

type Responder = (words: readonly string[]) => string

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`
const ARRAY = /^\*(\d+)\r\n/

/** Answers each command of the protocol. */
const respondWith =
  (say: Responder): PeerBehaviour =>
  (socket) => {
    let read = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      read += piece
      for (let found = commandIn(read); found; found = commandIn(read)) {
        read = read.slice(found.length)
        socket.write(say(found.words))
      }
    })
  }

function commandIn(read: string): { words: string[]; length: number } | undefined {
  const count = ARRAY.exec(read)
  if (!count) return undefined
  let at = count[0].length
  const words: string[] = []
  for (let left = Number(count[1]); left > 0; left--) {
    const length = /^\$(\d+)\r\n/.exec(read.slice(at, at + 16))
    if (!length) return undefined
    const start = at + length[0].length
    at = start + Number(length[1]) + 2
    if (read.length < at) return undefined
    words.push(read.slice(start, at - 2))
  }
  return { words, length: at }
}

const isLogin = ([word = '', ...rest]: readonly string[]) =>
  /^auth$/i.test(word) || (/^hello$/i.test(word) && rest.some((one) => /^auth$/i.test(one)))
const good: Responder = ([word = '']) =>
  /^hello$/i.test(word) ? `%1\r\n${bulk('server')}${bulk('redis')}` : '+OK\r\n'
const atLogin =
  (said: string): Responder =>
  (words) =>
    isLogin(words) ? said : good(words)
const atScripts =
  (said: string): Responder =>
  (words) =>
    /^eval/i.test(words[0] ?? '') ? said : good(words)

/** Replies of each, with the password and an echo of it on one line. */
const responders: Record<string, (password: string, echo: string) => Responder> = {
  'wrong password': (_, echo) => atLogin(`-WRONGPASS invalid username-password pair: ${echo}\r\n`),
  'an error': (_, echo) => atLogin(`-ERR ${echo}\r\n`),
  'the echo for an error': (_, echo) => atLogin(`-${echo}\r\n`),
  'the password for a code': (password) => atLogin(`-${password.toUpperCase()} is wrong\r\n`),
  'the password for the code of a script': (password) =>
    atScripts(`-ERR Error running script (call to f_1): @user_script:1: -${password.toUpperCase()} x\r\n`),
  'a script fails': (_, echo) => atScripts(`-READONLY ${echo}\r\n`),
  'a script answers': (password, echo) => atScripts(`*4\r\n${bulk(password)}:0\r\n${bulk(echo)}:1\r\n`),
  'a long error': (_, echo) => atLogin(`!${Buffer.byteLength(`ERR ${echo}`)}\r\nERR ${echo}\r\n`),
  'no protocol': (_, echo) => () => `${echo}\r\n`,
}

/** Those whose failure is logged as a warning with Redis's own message. */
export const WARNED = Object.keys(responders).filter((name) => !/answers|protocol/.test(name))

export interface EchoingRedises {
  accounts: EchoAccount[]
  close(): Promise<void>
}

/** An account for each. */
export async function startRedises(): Promise<EchoingRedises> {
  const peers: Peer[] = []
  const members: EchoAccount[] = []
  for (const [index, [name, manner]] of Object.entries(responders).entries()) {
    const password = ['QZXKWVTJY', 'Qz/xk&WvT', 'qzx kwvtj'][name.includes('code') ? 0 : index % 3] as string
    const [echo] = fc.sample(anyEcho, { numRuns: 1, seed: seed + index }) as [Parameters<typeof writeEcho>[1]]
    const peer = await startPeer(
      respondWith(manner(password, writeEcho(password, echo).replace(/[\r\n]+/g, ' '))),
    )
    peers.push(peer)
    members.push(sharedAccount(name, 10 + index, `redis://127.0.0.1:${peer.port}`, password))
  }
  return {
    accounts: members,
    async close() {
      await Promise.all(peers.map((peer) => peer.close()))
    },
  }
}

/** An account that shares its quota. */
export function sharedAccount(
  name: string,
  index: number,
  sharedQuota: string,
  password: string,
): EchoAccount {
  const member = createEchoAccount(name, index, { sharedQuota }, [password])
  const credentials = { ...member.credentials, sharedQuotaPassword: password }
  return { ...member, credentials, isShared: true }
}
