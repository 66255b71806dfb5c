import assert from 'node:assert/strict'
import type { GraphEnvelope } from '../../../../src/lib/decode/envelopes'
import { readSeries } from '../../../../src/lib/readings/series'
import { chunksOf, json, streamed } from '../../../support/fake-transport'
import { graph, patient } from '../answers'
import { clientOf, credentials } from './setup'

const serial = { 'remote-serial': '5212A1B2' }
const records = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    unixtime: 1_795_000_000 + index,
    'data-id': index,
    ch1: -18,
  }))

describe('an answer that is compared with another', () => {
  it('has the same digest whenever its bytes are the same, however they arrive', async () => {
    const text = JSON.stringify(graph({ data: records(300) }))
    const pieces = [[text], text.match(/.{1,700}/gs) ?? [], text.match(/.{1,9000}/gs) ?? []]
    const { client } = clientOf((_, turn) => streamed(chunksOf(pieces[turn % pieces.length] ?? [])))
    const answers = []
    for (const _ of pieces) answers.push(await client.read('latest-data', serial, patient, {}))
    assert.equal(new Set(answers.map(({ digest }) => digest)).size, 1)
    const { client: plain } = clientOf(() => streamed(chunksOf([text])))
    const { body, digest } = await plain.read('latest-data', serial, patient)
    assert.equal(digest, undefined)
    for (const answer of answers) assert.deepEqual(seriesOf(answer), seriesOf({ body }))
  })

  it('is read as ever where it differs, and where its body is wanted though it is equal', async () => {
    const echo = `${credentials.apiKey} and more`
    const answerOf = (turn: number) => graph({ 'remote-name': echo, data: records(turn === 2 ? 301 : 300) })
    const { client } = clientOf((_, turn) => json(answerOf(turn)))
    const first = await client.read('latest-data', serial, patient, {})
    const equal = await client.read('latest-data', serial, patient, { known: first.digest })
    const longer = await client.read('latest-data', serial, patient, { known: first.digest })
    assert.equal(equal.digest, first.digest)
    assert.deepEqual(seriesOf(equal), seriesOf(first))
    assert.notEqual(longer.digest, first.digest)
    assert.deepEqual([first.body.records.length, longer.body.records.length], [300, 301])
    assert.ok(!JSON.stringify([equal, longer]).includes(credentials.apiKey))
  })

  it('is shared by callers that know different ones', async () => {
    const { client, transport } = clientOf(() => json(graph({ data: records(3) })))
    const { digest: known } = await client.read('latest-data', serial, patient, {})
    const both = await Promise.all([
      client.read('latest-data', serial, patient, { known }),
      client.read('latest-data', serial, patient, {}),
    ])
    assert.equal(transport.sent.length, 2)
    for (const { body, digest } of both) assert.deepEqual([body.records.length, digest], [3, known])
  })

  it('is an error if it cannot be read, whatever is known', async () => {
    const { client } = clientOf(() => json({ data: 'none' }))
    for (const known of [undefined, 'x']) {
      await assert.rejects(client.read('latest-data', serial, patient, { known }), { code: 'ENVLOG_REPLY' })
    }
  })
})

const seriesOf = ({ body }: { body: GraphEnvelope }) => readSeries(body, 'utc')
