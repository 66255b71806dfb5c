import assert from 'node:assert/strict'
import { createMemory } from '../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../support/clock'
import { settled, shelf } from '../../support/collect/shelf'

const DAY = 86_400_000
const A = { serial: '5212A1B2', base: '5839F001' }
const B = { serial: '5212A1B3', base: '5839F001' }

describe('a node whose messages name one device after the other', () => {
  for (const days of [-60, -30, 29, 30, 60]) {
    it(`knows each of them still where the host’s clock is set by ${days} days in between`, async () => {
      const clock = createVirtualClock(0)
      const memory = createMemory(clock)
      memory.open(shelf())
      await memory.ready()
      const cursor = { seen: ['x'], sequence: clock.now() }
      memory.about([B])
      memory.step(`${B.base}/${B.serial}`, { kind: 'trigger' })
      memory.step(`${B.base}/${B.serial}`, { kind: 'delivered', next: cursor })
      clock.advance(60_000)
      memory.about([A])
      clock.jump(days * DAY)
      clock.advance(60_000)
      memory.about([A])
      await settled()
      memory.about([B])
      assert.deepEqual(memory.machine(`${B.base}/${B.serial}`).cursor, cursor, 'it was asked two minutes ago')
    })
  }
})
