import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { EnvlogError } from '../../../../src/lib/errors'
import { DeviceRound } from '../../../../src/nodes/kit/action/device-round'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'
import { failure, patient } from '../../lib/responses'

const BASE = '5839F001'
const devices = ['A', 'B', 'C', 'D'].map((one) => ({ serial: `${one}0000001`, base: BASE }))
const [first] = devices.map(({ serial }) => serial)

/** One node, in a process with this store. */
async function start(clock = createVirtualClock(0), store = createRecordingStore()) {
  const nodeState = new NodeState(clock)
  nodeState.open(store)
  await nodeState.ready()
  const list = { all: async () => devices, has: () => true, nameOf: () => undefined }
  const context = {
    RED: { _: (key: string) => key, util: { cloneMessage: (msg: object) => msg } },
    node: { type: 'envlog-latest', error() {}, warn() {} },
    account: { monotonic: () => clock.monotonic(), now: () => clock.now(), devices: list },
    ...{ nodeState, settings: { exclude: [], output: 'readings', topic: '' }, trigger: { msg: {} } },
    signal: patient.signal,
  }
  const waitStatus = { createListener: () => () => {} }
  const round = (work: (serial: string) => void) =>
    new DeviceRound(context as never, patient, waitStatus as never).run(
      'all',
      async ({ serial }) => work(serial),
      1,
    )
  return { clock, store, nodeState, round }
}

describe('a round over devices', () => {
  it('that quota has ended is continued with the next device, even after a crash', async () => {
    const clock = createVirtualClock(0)
    const store = createRecordingStore()
    const requested: string[] = []
    for (let process = 0; process < 2; process++) {
      const { round } = await start(clock, store)
      let left = 2
      const request = (serial: string) => {
        if (left-- === 0) throw new EnvlogError('quota-wait')
        requested.push(serial)
      }
      // What changed earlier was written before.
      clock.advance(5000)
      await assert.rejects(round(request), failure('quota-wait'))
      clock.advance(5000)
      await nextTurn()
    }
    assert.deepEqual(
      requested,
      devices.map(({ serial }) => serial),
    )
  })

  it('remembers which devices failed ambiguously: if they do again while another succeeds, they are the cause', async () => {
    const { round } = await start()
    const request = (serial: string) => {
      if (serial !== first) throw new EnvlogError('timeout-silent')
    }
    await assert.rejects(round(request), failure('timeout-silent'))
    assert.equal((await round(request)).wasRequested, true)
  })

  it('in which all are refused except one that awaits its receipt concerns the refused devices', async () => {
    const { clock, nodeState, round } = await start()
    const requested: string[] = []
    const request = (serial: string) => {
      requested.push(serial)
      if (serial !== first) throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
      const next = { sequence: 1 }
      const device = nodeState.device(`${BASE}/${serial}`)
      device.issue(next, next, null)
      device.awaitReceipt(next, clock.monotonic() + 86_400_000)
    }
    await round(request)
    clock.advance(600_000)
    await round(request)
    assert.equal(requested.length, 7)
    // Their pause has doubled.
    clock.advance(600_000)
    assert.equal((await round(request)).refused, 3)
    assert.equal(requested.length, 7)
  })
})
