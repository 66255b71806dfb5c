import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'

const device: DeviceDefinition = {
  serial: '5BE00001',
  name: 'long',
  kind: 'standalone-2',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}
/** A sixth of the documented limit of records, and seconds instead of hours. */
const budget = { limit: 20, window: 1, records: 8000, recordsWindow: 4 }

const WAITING_MS = 30_000
const RECORDS = 16_000
const FROM = NOW - RECORDS * 60_000

describe('a period of twice as many records as an hour allows', () => {
  const simulator = useSimulator(() => ({
    clock: manualClock(NOW),
    limits: { data: budget },
    limitsClock: 'real',
    fleet: [device],
    logSize: 100,
  }))

  it('is delivered complete, once and in order, within the hourly limit of records', async function () {
    this.timeout(WAITING_MS)
    const flow = await startFlow('range', simulator(), {
      node: {
        select: 'list',
        devices: [{ serial: device.serial, base: device.serial }],
        from: new Date(FROM).toISOString(),
        fromType: 'date',
        to: new Date(NOW).toISOString(),
        toType: 'date',
      },
      account: { limits: JSON.stringify({ data: budget }) },
    })
    flow.send()
    await flow.completed.next()
    const [msg] = flow.output.messages
    const ids: number[] = msg?.payload.records.map(({ dataId }: Message) => dataId)
    const truth = simulator()
      .truth.records(device.serial)
      .filter(({ time }) => time >= FROM && time < NOW)
    assert.ok(truth.length > RECORDS - 10)
    assert.deepEqual(
      ids,
      truth.map(({ id }) => id),
    )
    assert.deepEqual(msg?.payload.gaps, [])
    assert.deepEqual(
      simulator().log.filter(({ status }) => status !== 200),
      [],
    )
    const waited = flow.shown().filter(({ text }) => text === 'status.waiting-records')
    assert.ok(waited.length > 0, 'the status showed the wait')
    const after = (text: string | undefined, index: number) =>
      text === 'status.waiting-records' ? [texts[index + 1]] : []
    const texts = flow.shown().map(({ text }) => text)
    const next = new Set(texts.flatMap(after))
    // The status is shown for the whole wait.
    assert.deepEqual([...next], ['status.asking'])
  })
})
