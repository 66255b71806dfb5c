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
/** The documented budget, in seconds instead of hours. */
const budget = { limit: 20, window: 1, records: 50_000, recordsWindow: 4 }

describe('a period of 160,000 records', () => {
  const simulator = useSimulator(() => ({
    clock: manualClock(NOW),
    limits: { data: budget },
    limitsClock: 'real',
    fleet: [device],
    logSize: 100,
  }))

  it('is delivered complete, once and in order, within the hourly limit of records', async function () {
    this.timeout(60_000)
    const flow = await startFlow('range', simulator(), {
      node: {
        select: 'list',
        devices: [{ serial: device.serial, base: device.serial }],
        from: '2000-01-01',
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
      .filter(({ time }) => time < NOW)
    assert.ok(truth.length > 159_000)
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
    const pages = flow.shown().filter(({ text }) => text === 'status.pages')
    assert.ok(pages.length > 5, 'the status showed the pages')
    const after = (text: string | undefined, index: number) =>
      text === 'status.waiting-records' ? [texts[index + 1]] : []
    const texts = flow.shown().map(({ text }) => text)
    const next = new Set(texts.flatMap(after))
    // The status is shown as long as the wait.
    assert.deepEqual([...next], ['status.asking'])
  })
})
