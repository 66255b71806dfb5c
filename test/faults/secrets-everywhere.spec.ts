import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../support/chance'
import { type RedisServer, startRedis } from '../support/redis'
import { anyEcho, anyPieceIn, type Echo, pieceOf, written } from '../support/secrets/echoes'
import { type Asker, askers, type Hall, idOf, type Member, REACHED, startHall } from '../support/secrets/hall'
import { harmless } from '../support/secrets/harmless'
import { anyPlace, inText, type Place, refusal } from '../support/secrets/places'
import { type Redises, sharing, startRedises, WARNED } from '../support/secrets/redises'
import { until } from '../support/wait'

const numRuns = runs(4800)
/**
 * One seed, also in `test:long`: in one of ten thousand runs five letters of a secret stand behind a blank or a
 * quotation mark of the sentence around them, and look like six.
 */
const seed = 99
const ENOUGH = 0.95
const MOST_SHOWN = 1000
const OF_THE_LEDGER = 'Uq/4+zhKd'

const plainly: Echo = { ways: ['plain'], from: 0, more: 100, cut: [0, 0], around: ['', ''] }
const named = { title: 'a name', place: inText(3) }
const worded = { title: 'words', place: refusal(400, (message) => ({ code: 400, message })) }

/** Each of them was told once: what is asked with, where it was echoed, which secret of whom. */
const told: [number, Asker, { title: string; place: Place }, Echo, number][] = [
  [0, 'current as rows', named, plainly, 1],
  [0, 'latest as readings', { title: 'the serial number of another device', place: inText(0) }, plainly, 0],
  [1, 'devices', named, plainly, 1],
  [1, 'range as csv2', { title: 'a cell', place: inText(5) }, { ...plainly, ways: ['capitals'] }, 0],
  [2, 'current as readings', worded, plainly, 2],
  [4, 'test', worded, plainly, 2],
  [2, 'alerts as raw', { title: 'a text', place: inText(2) }, plainly, 2],
]

describe('secrets that a service, a proxy or a Redis echoes', function () {
  this.timeout(60_000 + numRuns * 100)
  let hall: Hall
  let redises: Redises
  let redis: RedisServer

  before('starts them', async () => {
    ;[redis, redises] = await Promise.all([startRedis({ password: OF_THE_LEDGER }), startRedises()])
    hall = await startHall([sharing('shared', 9, redis.url, OF_THE_LEDGER), ...redises.members])
  })
  after('ends them', async () => {
    await hall?.close()
    await redises?.close()
    await redis?.end('SIGKILL')
  })

  const memberOf = (name: string) => hall.members.find((one) => one.name === name) ?? assert.fail(name)

  function nothingIn(
    texts: readonly string[],
    find: (text: string, secrets: readonly string[]) => string | undefined,
    secrets: readonly string[],
  ): void {
    for (const text of texts) {
      const piece = find(text, secrets)
      if (piece !== undefined) assert.fail(`'${piece}' is in: ${text.slice(0, MOST_SHOWN)}`)
    }
  }

  async function check(member: Member, asker: Asker, place: Place, which: number, echo: Echo): Promise<void> {
    const { secrets } = member
    hall.says(place, written(secrets[which % secrets.length] as string, echo))
    const { texts } = await hall.ask(member, asker)
    nothingIn(texts, (text) => pieceOf(text, secrets, echo.ways), secrets)
  }

  it('are in nothing that is told, wherever and however they are written', async () => {
    let answered = 0
    await fc.assert(
      fc.asyncProperty(
        ...([fc.nat(REACHED - 1), fc.constantFrom(...askers), anyPlace, anyEcho, fc.nat(5)] as const),
        async (at, asker, { place }, echo, which) => {
          const before = hall.said()
          await check(hall.members[at] as Member, asker, place, which, echo)
          if (hall.said() > before) answered++
        },
      ),
      { numRuns, seed, examples: told },
    )
    assert.ok(answered > numRuns * 0.9, `${answered} of ${numRuns} were answered`)
  })

  it('leave the words alone that hold none', async () => {
    const statuses = [400, 401, 403, 404, 418, 500, 502, 503, 504]
    const changed: string[] = []
    for (const [index, words] of harmless.entries()) {
      const place = refusal(statuses[index % statuses.length] as number, (message) => ({ code: 1, message }))
      hall.says(place, words)
      const { message } = await hall.ask(memberOf('direct'), 'current as readings')
      if (!message.endsWith(` ${words}`)) changed.push(message)
    }
    assert.ok(changed.length <= harmless.length * (1 - ENOUGH), changed.join('\n'))
  })

  it('are not told with a limit that is used up', async () => {
    const ends = ['current as raw', 'latest as readings', 'range as values', 'alerts as raw'] as const
    const cases = hall.members.slice(0, REACHED).flatMap((member) => ends.map((asker) => ({ member, asker })))
    const echoes = fc.sample(anyEcho, { numRuns: cases.length, seed })
    const place = refusal(429, (message) => ({ code: message, message }))
    for (const [index, { member, asker }] of cases.entries()) {
      await check(member, asker, place, index, echoes[index] as Echo)
    }
  })

  it('are not told where Node’s own errors name them: names of a certificate, and variables', async () => {
    hall.saysWhatIsRight()
    const named = hall.members.slice(REACHED).filter(({ isShared }) => !isShared)
    assert.ok(named.length >= 6)
    for (const member of named) {
      for (const asker of ['current as readings', 'devices', 'test'] as const) {
        const { texts } = await hall.ask(member, asker)
        nothingIn(texts, anyPieceIn, member.secrets)
      }
    }
  })

  it('are not told as the reason why a Redis is away, and are in none', async () => {
    hall.saysWhatIsRight()
    const warning = (name: string) =>
      `${idOf(memberOf(name), 'account')}] The Redis of the shared quota cannot be reached`
    await until('all are away', () => WARNED.every((name) => hall.witness.log().includes(warning(name))))
    for (const name of ['shared', ...WARNED]) {
      const { texts, message } = await hall.ask(memberOf(name), 'current as readings')
      assert.equal(message, '')
      nothingIn(texts, anyPieceIn, memberOf(name).secrets)
    }
    const secrets = hall.members.filter(({ isShared }) => isShared).flatMap((member) => member.secrets)
    nothingIn([hall.witness.log()], anyPieceIn, secrets)
    const contents = await redis.contents()
    assert.ok(contents.length > 0)
    nothingIn([JSON.stringify(contents)], anyPieceIn, memberOf('shared').secrets)
  })

  it('are in no answer of the editor’s address, no file but that of the credentials, no line of the log', async () => {
    const paths = ['/flows', '/settings', '/diagnostics', '/context/global', '/envlog/stores']
    const accounts = hall.members.map((member) => idOf(member, 'account'))
    paths.push(
      ...accounts.map((id) => `/envlog/accounts/${id}/quota`),
      ...accounts.map((id) => `/credentials/envlog-account/${id}`),
      ...accounts.map((id) => `/context/node/${id}`),
      ...hall.members.slice(0, REACHED).map((member) => `/context/node/${idOf(member, 'latest as points')}`),
    )
    const texts: string[] = []
    for (const path of paths) texts.push(await hall.witness.ask(path))
    texts.push(...(await hall.witness.stop()), hall.witness.log())
    const files = hall.witness.files()
    assert.ok(Object.keys(files).some((name) => name.startsWith('context')))
    texts.push(...Object.values(files))
    const secrets = new Set(hall.members.flatMap((member) => member.secrets))
    nothingIn(texts, anyPieceIn, [...secrets])
  })
})
