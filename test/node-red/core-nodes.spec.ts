import assert from 'node:assert/strict'
import type { TrueRecord, Truth } from '../../simulator'
import { currentPoints, currentRows, deviceIn, expectedRows, pointsOf } from '../support/expected'
import { type AnyNode, chain, type NodeChain, useNodeRed } from '../support/flow-harness'
import type { Message } from '../support/flow-types'
import { GROWING, HOSTILE_NOW, REMOTE, TIMELESS } from '../support/hostile'
import { assertSame } from '../support/same'

const ANSWER_MS = 30_000
const HOUR = 3_600_000
const FROM = HOSTILE_NOW - 2 * HOUR
const CHUNK = 50

const serials = [GROWING, REMOTE]
const period = {
  from: new Date(FROM).toISOString(),
  to: new Date(HOSTILE_NOW).toISOString(),
  fromType: 'date',
  toType: 'date',
}
const some = { ...period, select: 'list', devices: serials.map((serial) => ({ serial })) }
const three = { select: 'list', devices: [GROWING, TIMELESS, REMOTE].map((serial) => ({ serial })) }
const among = (serial: unknown) => three.devices.some((device) => device.serial === serial)
const one = { ...some, devices: [{ serial: REMOTE }] }

const join: AnyNode = { type: 'join', mode: 'auto' }
const split: AnyNode = { type: 'split', splt: '\\n', spltType: 'str', arraySplt: 1, arraySpltType: 'len' }
const sortSequence = (seqKey: string): AnyNode => ({
  type: 'sort',
  order: 'descending',
  as_num: true,
  target: '',
  targetType: 'seq',
  seqKey,
  seqKeyType: 'msg',
})
const sortArray = (jsonata: string): AnyNode => ({
  type: 'sort',
  order: 'descending',
  as_num: false,
  target: 'payload',
  targetType: 'msg',
  msgKey: jsonata,
  msgKeyType: 'jsonata',
})

const outputs = ['readings', 'rows', 'points'] as const
type Output = (typeof outputs)[number]

describe('outputs in core nodes', () => {
  const harness = useNodeRed()
  const truth = (): Truth => harness.simulator.truth
  const within = (serial: string): TrueRecord[] => {
    const { base, standalone } = deviceIn(truth(), serial)
    return truth().records(serial, standalone ? undefined : base, FROM, HOSTILE_NOW - 1)
  }

  /** All messages of one device together. */
  const expected: Record<Output, (serial: string) => object[]> = {
    readings: (serial) => within(serial),
    rows: (serial) => expectedRows(deviceIn(truth(), serial), within(serial)),
    points: (serial) => pointsOf(deviceIn(truth(), serial), within(serial)),
  }

  const current: Record<Output, () => Message[]> = {
    readings: () =>
      truth()
        .current()
        .filter(({ serial }) => among(serial)),
    rows: () => currentRows(truth()).filter(({ serial }) => among(serial)),
    points: () => currentPoints(truth()).filter(({ tags }) => among(tags.serial)),
  }

  before('deploys the flows', async () => {
    const chains: NodeChain[] = [
      ...outputs.flatMap((output) => [
        chain(`${output}-each`, 'range', { ...some, output, send: 'each' }, [join]),
        chain(`${output}-chunk`, 'range', { ...some, output, send: 'chunk', chunk: CHUNK }, [join]),
        chain(`${output}-chunk-1`, 'range', { ...one, output, send: 'chunk', chunk: 1 }, [join]),
        chain(`${output}-device`, 'current', { ...three, output, send: 'device' }, [join]),
        chain(`${output}-split`, 'current', { ...three, output, send: 'all' }, [split]),
        chain(`${output}-split-join`, 'current', { ...three, output, send: 'all' }, [split, join]),
      ]),
      chain('values-join', 'range', { ...one, output: 'values', send: 'value' }, [join]),
      chain(
        'nested',
        'range',
        { ...period, select: 'msg', property: 'payload', output: 'rows', send: 'each' },
        [join, join],
        { before: [split], props: [{ p: 'payload', v: JSON.stringify(serials), vt: 'json' }] },
      ),
      chain('alerts-join', 'alerts', { ...one, onlyNew: false, output: 'rows', send: 'each' }, [join]),
      chain('values-sort', 'range', { ...one, output: 'values', send: 'value' }, [
        sortSequence('payload'),
        join,
      ]),
      chain('rows-sort', 'range', { ...one, output: 'rows', send: 'each' }, [
        sortSequence('payload.timestamp'),
        join,
      ]),
      chain('points-sort', 'range', { ...one, output: 'points', send: 'device' }, [sortArray('fields.ch2')]),
      chain('readings-sort', 'current', three, [sortArray('serial')]),
    ]
    await harness.deploy(chains)
  })

  for (const output of outputs) {
    for (const [send, size] of [
      ['each', 1],
      ['chunk', CHUNK],
    ] as const) {
      it(`join: ${output} by ${send} become the array again, one for each device`, async function () {
        this.timeout(ANSWER_MS)
        const messages = await harness.run(`${output}-${send}`, serials.length)
        for (const serial of serials) {
          const msg = about(serial, messages)
          assert.equal('parts' in msg, false)
          assert.deepEqual(elements(output, msg.payload), expected[output](serial))
          // Series stay series, each with its records.
          if (output === 'readings') {
            assert.equal(msg.payload.length, Math.ceil(within(serial).length / size))
          }
        }
      })
    }

    it(`join: ${output} in chunks of one become the array again`, async () => {
      const [msg] = await harness.run(`${output}-chunk-1`)
      assert.deepEqual(elements(output, msg?.payload), expected[output](REMOTE))
    })

    it(`join: current ${output} by device become one array`, async () => {
      const [msg] = await harness.run(`${output}-device`)
      assert.equal(msg?.payload.length, three.devices.length)
      assertCurrent(output, msg?.payload.flat())
    })

    it(`split: current ${output} are sent one by one, and join restores the array`, async () => {
      const messages = await harness.run(`${output}-split`, current[output]().length)
      assertCurrent(
        output,
        messages.map(({ payload }) => payload),
      )
      const [msg] = await harness.run(`${output}-split-join`)
      assertCurrent(output, msg?.payload)
    })
  }

  it('join: values become an array of numbers', async () => {
    const [msg] = await harness.run('values-join')
    assert.deepEqual(msg?.payload, numbers())
  })

  it('join: alerts become one array', async () => {
    const [msg] = await harness.run('alerts-join')
    const { base } = deviceIn(truth(), REMOTE)
    const texts = truth()
      .alerts(REMOTE, base)
      .toReversed()
      .flatMap(({ texts }) => Object.values(texts))
    assert.deepEqual(
      msg?.payload.map(({ text }: Message) => text),
      texts,
    )
  })

  it('split and join around a node keep the outer sequence', async () => {
    const [msg] = await harness.run('nested')
    assert.equal('parts' in (msg ?? {}), false)
    assert.deepEqual(msg?.payload, serials.map(expected.rows))
  })

  it('sort: messages by value and by property, and arrays by expression', async () => {
    const [values] = await harness.run('values-sort')
    assert.deepEqual(
      values?.payload,
      numbers().toSorted((a, b) => b - a),
    )
    const [rows] = await harness.run('rows-sort')
    const byTime = (expected.rows(REMOTE) as Message[]).toSorted((a, b) => b.timestamp - a.timestamp)
    assert.deepEqual(rows?.payload, byTime)
    const [points] = await harness.run('points-sort')
    const byField = (expected.points(REMOTE) as Message[]).toSorted((a, b) => b.fields.ch2 - a.fields.ch2)
    assert.deepEqual(points?.payload, byField)
    const [readings] = await harness.run('readings-sort')
    const bySerial = current
      .readings()
      .map(({ serial }) => serial)
      .toSorted()
      .toReversed()
    assert.deepEqual(
      readings?.payload.map(({ serial }: Message) => serial),
      bySerial,
    )
  })

  const numbers = () => (expected.rows(REMOTE) as { value?: number }[]).flatMap(({ value }) => value ?? [])

  function assertCurrent(output: Output, payload: Message[]): void {
    if (output === 'readings') {
      const found = payload.map(({ serial, timestamp }) => [serial, timestamp])
      assert.deepEqual(
        found,
        current.readings().map(({ serial, time }) => [serial, time]),
      )
      return
    }
    assertSame(
      payload.map(({ age: _, ...row }) => row),
      current[output](),
    )
  }
})

function about(serial: string, messages: Message[]): Message {
  const found = messages.filter(({ envlog }) => envlog.device.serial === serial)
  assert.equal(found.length, 1)
  return found[0] as Message
}

/** Rows and points unchanged; of series the records with the true values. */
function elements(output: Output, payload: Message[]): Message[] {
  if (output !== 'readings') return payload
  return payload.flatMap(({ records, channels }) =>
    records.map((record: Message) => {
      const values = channels.map(({ key, number }: Message) => [number, record[key] ?? record.errors[key]])
      const measured = values.filter(([, value]: unknown[]) => value !== 'missing')
      return { time: record.timestamp, id: record.dataId, values: Object.fromEntries(measured) }
    }),
  )
}
