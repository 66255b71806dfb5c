import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator } from '../../../simulator'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { root } from '../../support/package'

const START = Date.parse('2026-11-20T08:00:00Z')
/** When the node is triggered: before, while, and after records are late; ms after the start. */
const TRIGGERS = [0, 120_000, 1_920_000]

function fleetOf(name: string): DeviceDefinition[] {
  return JSON.parse(readFileSync(join(root, 'test/fixtures/late', `${name}.fleet.json`), 'utf8'))
}

for (const name of ['late-records', 'monitoring-and-recorded']) {
  describe(`records that arrive later than newer ones: ${name}`, () => {
    const fleet = fleetOf(name)
    const simulator = useSimulator(() => ({ clock: manualClock(START), limits: 'off', fleet }))

    it('are sent, each once, without reporting gaps that do not exist', async () => {
      const flow = await startFlow('latest', simulator(), { node: { onlyNew: true, send: 'device' } })
      for (const [index, at] of TRIGGERS.entries()) {
        const { clock } = simulator() as Simulator
        clock.advance(at - (TRIGGERS[index - 1] ?? 0))
        flow.send({})
        await flow.completed.next()
      }
      for (const { serial, base, standalone } of simulator().truth.devices()) {
        const messages = flow.output.messages.filter(({ payload }: Message) => payload.serial === serial)
        const sent = messages.flatMap(({ payload }: Message) =>
          payload.records.map((record: Message) => `${record.timestamp}/${record.dataId ?? 0}`),
        )
        const measured = simulator()
          .truth.records(serial, standalone ? undefined : base)
          .map(({ time, id }) => `${time}/${id}`)
        assert.deepEqual(sent.toSorted(), measured.toSorted(), serial)
        const gaps = messages.flatMap(({ payload }: Message) => payload.gaps)
        for (const { kind, missing } of gaps) assert.deepEqual([kind, missing], ['missing', 5])
      }
    })
  })
}
