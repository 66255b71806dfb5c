import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../support/chance'
import { type RedisServer, startRedis } from '../support/redis'
import {
  type EchoAccount,
  type EchoHarness,
  FULL_ACCOUNTS,
  nodeIdOf,
  type RequestKind,
  requestKinds,
  startEchoHarness,
} from '../support/secrets/echo-harness'
import { anyEchoResponse, type EchoResponse, inText, refusalWith } from '../support/secrets/echo-responses'
import { anyEcho, anyPieceIn, type Echo, pieceOf, writeEcho } from '../support/secrets/echoes'
import { type EchoingRedises, sharedAccount, startRedises, WARNED } from '../support/secrets/echoing-redises'
import { harmless } from '../support/secrets/harmless'
import { until } from '../support/wait'

const numRuns = runs(4800)
/**
 * A fixed seed, also in `test:long`: in one of ten thousand runs, five characters of a secret follow a blank or
 * quotation mark of a message, and match six characters.
 */
const seed = 99
const ENOUGH = 0.95
const MAX_SHOWN = 1000
const OF_THE_LEDGER = 'Uq/4+zhKd'

const plainly: Echo = { ways: ['plain'], from: 0, more: 100, cut: [0, 0], around: ['', ''] }
const named = { title: 'a name', respond: inText(3) }
const worded = { title: 'words', respond: refusalWith(400, (message) => ({ code: 400, message })) }

/** Earlier leaks: account, kind of request, response, echo, and which secret. */
const knownLeaks: [number, RequestKind, { title: string; respond: EchoResponse }, Echo, number][] = [
  [0, 'current as rows', named, plainly, 1],
  [0, 'latest as readings', { title: 'the serial number of another device', respond: inText(0) }, plainly, 0],
  [1, 'devices', named, plainly, 1],
  [1, 'range as csv2', { title: 'a cell', respond: inText(5) }, { ...plainly, ways: ['capitals'] }, 0],
  [2, 'current as readings', worded, plainly, 2],
  [4, 'test', worded, plainly, 2],
  [2, 'alerts as raw', { title: 'a text', respond: inText(2) }, plainly, 2],
]

describe('secrets that a service, a proxy or a Redis echoes', function () {
  this.timeout(60_000 + numRuns * 100)
  let harness: EchoHarness
  let redises: EchoingRedises
  let redis: RedisServer

  before('starts them', async () => {
    ;[redis, redises] = await Promise.all([startRedis({ password: OF_THE_LEDGER }), startRedises()])
    harness = await startEchoHarness([
      sharedAccount('shared', 9, redis.url, OF_THE_LEDGER),
      ...redises.accounts,
    ])
  })
  after('ends them', async () => {
    await harness?.close()
    await redises?.close()
    await redis?.end('SIGKILL')
  })

  const memberOf = (name: string) => harness.accounts.find((one) => one.name === name) ?? assert.fail(name)

  function nothingIn(
    texts: readonly string[],
    find: (text: string, secrets: readonly string[]) => string | undefined,
    secrets: readonly string[],
  ): void {
    for (const text of texts) {
      const piece = find(text, secrets)
      if (piece !== undefined) assert.fail(`'${piece}' is in: ${text.slice(0, MAX_SHOWN)}`)
    }
  }

  async function check(
    member: EchoAccount,
    requestKind: RequestKind,
    respond: EchoResponse,
    which: number,
    echo: Echo,
  ): Promise<void> {
    const { secrets } = member
    harness.setEcho(respond, writeEcho(secrets[which % secrets.length] as string, echo))
    const { texts } = await harness.request(member, requestKind)
    nothingIn(texts, (text) => pieceOf(text, secrets, echo.ways), secrets)
  }

  it('are in no output, wherever and in whatever encoding they are echoed', async () => {
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc.nat(FULL_ACCOUNTS - 1),
          fc.constantFrom(...requestKinds),
          anyEchoResponse,
          anyEcho,
          fc.nat(5),
        ] as const),
        async (at, requestKind, { respond }, echo, which) => {
          const before = harness.answerCount()
          await check(harness.accounts[at] as EchoAccount, requestKind, respond, which, echo)
          if (harness.answerCount() > before) answered++
        },
      ),
      { numRuns, seed, examples: knownLeaks },
    )
    assert.ok(answered > numRuns * 0.9, `${answered} of ${numRuns} were answered`)
  })

  it('leave texts without secrets unchanged', async () => {
    const statuses = [400, 401, 403, 404, 418, 500, 502, 503, 504]
    const changed: string[] = []
    for (const [index, words] of harmless.entries()) {
      const respond = refusalWith(statuses[index % statuses.length] as number, (message) => ({
        code: 1,
        message,
      }))
      harness.setEcho(respond, words)
      const { message } = await harness.request(memberOf('direct'), 'current as readings')
      if (!message.endsWith(` ${words}`)) changed.push(message)
    }
    assert.ok(changed.length <= harmless.length * (1 - ENOUGH), changed.join('\n'))
  })

  it('are not shown when a limit is used up', async () => {
    const ends = ['current as raw', 'latest as readings', 'range as values', 'alerts as raw'] as const
    const cases = harness.accounts
      .slice(0, FULL_ACCOUNTS)
      .flatMap((member) => ends.map((requestKind) => ({ member, requestKind })))
    const echoes = fc.sample(anyEcho, { numRuns: cases.length, seed })
    const respond = refusalWith(429, (message) => ({ code: message, message }))
    for (const [index, { member, requestKind }] of cases.entries()) {
      await check(member, requestKind, respond, index, echoes[index] as Echo)
    }
  })

  it('are not shown if Node’s own errors contain them: names of a certificate, and variables', async () => {
    harness.answerCorrectly()
    const named = harness.accounts.slice(FULL_ACCOUNTS).filter(({ isShared }) => !isShared)
    assert.ok(named.length >= 6)
    for (const member of named) {
      for (const requestKind of ['current as readings', 'devices', 'test'] as const) {
        const { texts } = await harness.request(member, requestKind)
        nothingIn(texts, anyPieceIn, member.secrets)
      }
    }
  })

  it('are not shown as the reason for a disconnected Redis, and are in no Redis', async () => {
    harness.answerCorrectly()
    const warning = (name: string) =>
      `${nodeIdOf(memberOf(name), 'account')}] The Redis of the shared quota cannot be reached`
    await until('all are disconnected', () =>
      WARNED.every((name) => harness.witness.log().includes(warning(name))),
    )
    for (const name of ['shared', ...WARNED]) {
      const { texts, message } = await harness.request(memberOf(name), 'current as readings')
      assert.equal(message, '')
      nothingIn(texts, anyPieceIn, memberOf(name).secrets)
    }
    const secrets = harness.accounts.filter(({ isShared }) => isShared).flatMap((member) => member.secrets)
    nothingIn([harness.witness.log()], anyPieceIn, secrets)
    const contents = await redis.contents()
    assert.ok(contents.length > 0)
    nothingIn([JSON.stringify(contents)], anyPieceIn, memberOf('shared').secrets)
  })

  it('are in no admin response, no file except the credentials file, and no line of the log', async () => {
    const paths = ['/flows', '/settings', '/diagnostics', '/context/global', '/envlog/stores']
    const accounts = harness.accounts.map((member) => nodeIdOf(member, 'account'))
    paths.push(
      ...accounts.map((id) => `/envlog/accounts/${id}/quota`),
      ...accounts.map((id) => `/credentials/envlog-account/${id}`),
      ...accounts.map((id) => `/context/node/${id}`),
      ...harness.accounts
        .slice(0, FULL_ACCOUNTS)
        .map((member) => `/context/node/${nodeIdOf(member, 'latest as points')}`),
    )
    const texts: string[] = []
    for (const path of paths) texts.push(await harness.witness.request(path))
    texts.push(...(await harness.witness.stop()), harness.witness.log())
    const files = harness.witness.files()
    assert.ok(Object.keys(files).some((name) => name.startsWith('context')))
    texts.push(...Object.values(files))
    const secrets = new Set(harness.accounts.flatMap((member) => member.secrets))
    nothingIn(texts, anyPieceIn, [...secrets])
  })
})
