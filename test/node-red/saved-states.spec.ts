import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { install, type Clock as Timers } from '@sinonjs/fake-timers'
import { type DeviceDefinition, manualClock } from '../../simulator'
import { type Flow, startFlow, unload, useSimulator } from '../support/flow'
import type { Message } from '../support/flow-types'
import { readingOf, seriesOf } from '../support/limits/monitoring'
import { root } from '../support/package'

/**
 * The states that version 1 has saved, one for each kind of node: a newer version continues with them. With
 * `SAVE_STATES=1`, the fixtures are written anew. Do that only for a new version of the saved state, in new files.
 */
const IS_WRITING = process.env.SAVE_STATES === '1'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 20, 8)

/** What a node had saved at that time, and what else the test knows from before the update. */
interface Fixture {
  at: number
  state: unknown
  known: Message
}

const fileOf = (name: string) => join(root, 'test/fixtures/saved', `${name}-v1.json`)

const nodes: { prototype: { context(): object } } = createRequire(require.resolve('node-red'))(
  '@node-red/runtime/lib/nodes/Node',
)

const standalone = (serial: string, more: Partial<DeviceDefinition> = {}): DeviceDefinition => ({
  serial,
  name: `Freezer ${serial.at(-1)}`,
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C', name: 'Inside' }],
  zone: { timeDiff: 0 },
  records: { interval: 60 },
  ...more,
})
const alertAt = (minute: number) => ({
  unixtime: (START + minute * MINUTE) / 1000,
  texts: { ch1: `alert ${minute}` },
})

const [FIRST, SECOND, THIRD, LEFT, UNKNOWN] = ['52A10001', '52A10002', '52A10003', '52A10004', '5FFFFFFF']
const chosen = (...serials: string[]) => ({
  ...{ select: 'list', devices: serials.map((serial) => ({ serial, base: serial })) },
  ...{ onlyNew: true },
})
const between = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

describe('a state saved by version 1', () => {
  const fleet = (...alerts: object[]) =>
    [FIRST, SECOND, THIRD, LEFT].map((serial) =>
      standalone(serial, serial === FIRST ? ({ alerts } as Partial<DeviceDefinition>) : {}),
    )
  const simulator = useSimulator(() => ({
    ...{ clock: manualClock(START), limits: 'off', fleet: fleet(alertAt(-20), alertAt(-10)) },
  }))
  const { context } = nodes.prototype
  /** The texts in the context store, by the id of their node. */
  const stored = new Map<string, string>()
  let timers: Timers

  beforeEach(() => {
    stored.clear()
    timers = install({ now: START, toFake: ['Date', 'performance'] })
    nodes.prototype.context = function (this: { id: string }) {
      return {
        get: (_key: string, _store: unknown, done: (error: null, value?: string) => void) =>
          done(null, stored.get(this.id)),
        set: (_key: string, text: string, _store: unknown, done: (error: null) => void) => {
          stored.set(this.id, text)
          done(null)
        },
      }
    }
  })

  afterEach(async () => {
    await unload()
    nodes.prototype.context = context
    timers.uninstall()
  })

  function pass(ms: number): void {
    timers.tick(ms)
    simulator().clock.advance(ms)
  }

  /** Stops the nodes, and returns what one of them has saved. */
  async function stop(id: string): Promise<unknown> {
    await unload()
    return JSON.parse(stored.get(id) ?? 'null')
  }

  /** Writes what a node has saved after `work`, and what `work` returns. */
  function writing(name: string, id: string, work: () => Promise<Message>): void {
    if (!IS_WRITING) return
    it(`of ${name} is written`, async () => {
      const known = await work()
      const fixture: Fixture = { at: Date.now(), state: await stop(id), known }
      writeFileSync(fileOf(name), `${JSON.stringify(fixture, null, 1)}\n`)
    })
  }

  /** Goes to the time of a fixture, with its state in the store: what is not used is written as it was read. */
  async function update(name: string, id: string, start: () => Promise<Flow>): Promise<[Flow, Fixture]> {
    const fixture: Fixture = JSON.parse(readFileSync(fileOf(name), 'utf8'))
    stored.set(id, JSON.stringify(fixture.state))
    pass(fixture.at - Date.now())
    await start()
    assert.deepEqual(await stop(id), fixture.state)
    return [await start(), fixture]
  }

  /** Triggers a node, and returns its messages once it has completed. */
  async function trigger(flow: Flow, msg: Message = {}): Promise<Message[]> {
    const before = flow.output.messages.length
    flow.send(msg)
    await flow.completed.next()
    return flow.output.messages.slice(before)
  }

  describe('of latest', () => {
    const node = { ...chosen(FIRST, SECOND, THIRD), advance: 'acknowledged' }
    const start = (more: object = {}) => startFlow('latest', simulator(), { node: { ...node, ...more } })
    const acknowledge = (flow: Flow, receipt: string) => flow.send({ envlog: { receipt } })

    /** After an outage, new records of the first device and missing ones of the third await a receipt. */
    writing('latest', 'node', async () => {
      const all = await start(chosen(FIRST, SECOND, THIRD, LEFT))
      all.send()
      for (let count = 0; count < 4; count++) acknowledge(all, (await all.output.next()).envlog.receipt)
      await all.completed.next()
      const flow = await start()
      await trigger(flow)
      pass(10 * HOUR)
      simulator().set({ faults: [{ kind: 'brokenJson', endpoints: ['data'], serials: [SECOND] }] })
      flow.send()
      const receipts: Record<string, string> = {}
      for (let count = 0; count < 3; count++) {
        const { payload, envlog } = await flow.output.next()
        receipts[payload.serial] = envlog.receipt
      }
      for (const serial of [SECOND, THIRD]) acknowledge(flow, receipts[serial] ?? '')
      const { payload, envlog } = await flow.output.next()
      assert.equal(payload.serial, THIRD)
      pass(HOUR)
      return { receipts: [receipts[FIRST], envlog.receipt] }
    })

    it('goes on with receipts, with missing records and with new ones, each once', async () => {
      const [flow, { known }] = await update('latest', 'node', start)
      pass(2 * MINUTE)
      for (const receipt of known.receipts) acknowledge(flow, receipt)
      flow.send()
      // Ten hours and 62 minutes after the first records; the newest 300 were sent before the update.
      const expected: Record<string, number> = { [FIRST]: 362, [SECOND]: 362, [THIRD]: 62 }
      const ids: Record<string, number[]> = { [FIRST]: [], [SECOND]: [], [THIRD]: [] }
      while (Object.entries(ids).some(([serial, own]) => own.length < (expected[serial] ?? 0))) {
        const { payload, envlog } = await flow.output.next()
        ids[payload.serial]?.push(...payload.records.map(({ dataId }: Message) => dataId))
        acknowledge(flow, envlog.receipt)
      }
      for (const [serial, own] of Object.entries(ids)) {
        const newest = Math.max(...own)
        const added = between(newest - 61, newest)
        const missing = serial === THIRD ? [] : between(newest - 661, newest - 362)
        assert.deepEqual(
          own.sort((a, b) => a - b),
          [...missing, ...added],
          serial,
        )
      }
    })
  })

  describe('of alerts', () => {
    const start = () => startFlow('alerts', simulator(), { node: chosen(FIRST, UNKNOWN) })
    writing('alerts', 'node', async () => {
      await trigger(await start())
      return {}
    })

    it('sends new alerts, and does not request a refused device', async () => {
      const [flow] = await update('alerts', 'node', start)
      assert.deepEqual(await trigger(flow), [])
      simulator().set({ fleet: fleet(alertAt(-20), alertAt(-10), alertAt(1)) })
      pass(2 * MINUTE)
      assert.deepEqual(
        (await trigger(flow)).map(({ payload }) => payload.map(({ text }: Message) => text)),
        [['alert 1']],
      )
      assert.ok(simulator().log.every(({ params }) => !JSON.stringify(params).includes(UNKNOWN)))
    })
  })

  describe('of current', () => {
    const start = () => startFlow('current', simulator(), { node: { ...chosen(FIRST), staleAfter: 600 } })
    writing('current', 'node', async () => {
      await trigger(await start())
      return {}
    })

    it('sends a reading if it has changed', async () => {
      const [flow] = await update('current', 'node', start)
      assert.deepEqual(await trigger(flow), [])
      pass(2 * MINUTE)
      assert.equal((await trigger(flow)).length, 1)
    })
  })

  describe('of limits', () => {
    const rows = [
      { name: 'too warm', above: -15, minutes: 10, margin: 1 },
      { name: 'missing', select: 'list', devices: [{ serial: '5212FFFF' }], above: 0 },
    ]
    const start = () =>
      startFlow('alarms', simulator(), {
        node: { output: 'event' },
        limits: { limits: rows, limitsType: 'table', errorAfter: 10, silentAfter: 60, battery: true },
      })
    const hour = (
      serial: string,
      from: number,
      warmFrom = Number.POSITIVE_INFINITY,
      warmTo = warmFrom + 60,
    ) =>
      seriesOf(
        between(from, from + 59).map((minute) => [
          START + minute * MINUTE,
          minute >= warmFrom && minute <= warmTo ? -9 : -18,
        ]),
        { serial },
      )
    const eventsOf = (messages: readonly Message[]) =>
      messages.map(({ payload: { text: _, ...event } }) => event)

    /** What the node answers about what it has saved. */
    async function ask(flow: Flow): Promise<Message> {
      const report = eventsOf(await trigger(flow, { envlog: { report: true } }))
      report.sort((a, b) => (a.id < b.id ? -1 : 1))
      return { report, history: eventsOf(await trigger(flow, { envlog: { history: 744 } })) }
    }

    /**
     * An alarm that is over, and one that lasts after a hole; further devices that are muted, pending, silent, without a
     * value, and with a low battery.
     */
    writing('limits', 'limits', async () => {
      timers.uninstall()
      timers = install({ now: START, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
      const flow = await start()
      const silent = ['5212A1C1', '5212A1C2'].map((serial) =>
        seriesOf([[START, -18]], { serial, base: { serial: '5839F002', name: 'Hall 2' } }),
      )
      await trigger(flow, { payload: [hour('5212A1B2', -60), ...silent] })
      for (let minute = 0; minute < 180; minute++) {
        await timers.tickAsync(MINUTE)
        if (minute === 60) {
          await trigger(flow, { payload: [hour('5212A1B2', 0, 20, 40)] })
          await trigger(flow, { envlog: { acknowledge: true, by: 'shift leader', note: 'door' } })
          await trigger(flow, { envlog: { mute: 600, devices: ['5212A1B4'], by: 'service' } })
        }
        if (minute % 10 > 0) continue
        const battery = { code: 4, level: 'replace-soon' }
        const value = minute < 150 ? -18 : 'E1'
        const current = ['5212A1B5', '5212A1B6'].map((serial, index) =>
          readingOf(Date.now(), index === 0 ? value : -18, { serial, ...(index === 1 && { battery }) }),
        )
        await trigger(flow, { payload: current })
      }
      const last = [hour('5212A1B2', 120, 150), hour('5212A1B3', 120, 175), hour('5212A1B4', 120, 150)]
      await trigger(flow, { payload: last })
      await trigger(flow, { envlog: { acknowledge: ['5212A1B6'], by: 'shift leader', minutes: 600 } })
      const told = new Set(eventsOf(flow.output.messages).map(({ condition }) => condition))
      assert.deepEqual(
        [...told].toSorted(),
        ['above', 'battery', 'error', 'no-match', null, 'silent'].toSorted(),
      )
      return ask(flow)
    })

    it('tells nothing again, knows what is over, and goes on judging', async () => {
      const [flow, { known }] = await update('limits', 'limits', start)
      assert.deepEqual(await ask(flow), known)
      const measure = async (...payload: object[]) =>
        eventsOf(await trigger(flow, { payload })).map(({ state, id, from }) => [state, id, from])
      const at = (minute: number) => new Date(START + minute * MINUTE).toISOString()
      const id = (serial: string, minute: number) => `5839F001/${serial}/ch1/too warm/${at(minute)}`
      assert.deepEqual(await measure(hour('5212A1B2', 60, 70, 100)), [['ended', id('5212A1B2', 70), at(70)]])
      pass(10 * MINUTE)
      assert.deepEqual(
        await measure(hour('5212A1B2', 130), hour('5212A1B3', 130, 170), hour('5212A1B4', 130)),
        [
          ['normal', id('5212A1B2', 150), at(150)],
          ['alarm', id('5212A1B3', 175), at(175)],
        ],
      )
    })
  })

  describe('of report', () => {
    const start = (loginPass?: string) =>
      startFlow('report', simulator(), {
        node: { ...chosen(FIRST), period: 'yesterday', every: 'day', at: '00:30', wires: [['output'], []] },
        account: { timeZone: 'UTC' },
        credentials: { ...(loginPass && { loginPass }) },
      })

    /** A report that was made, and the next one, which was not done because of a wrong password. */
    writing('report', 'node', async () => {
      const flow = await start()
      // Before it first looks for what is due.
      pass(17 * HOUR)
      const made = await flow.output.next()
      assert.equal(made.report.key, '2026-11-20')
      await stop('node')
      pass(DAY)
      const told = await (await start('wrong')).output.next()
      assert.deepEqual([told.report.key, told.report.level], ['2026-11-21', 'not-done'])
      return {}
    })

    it('makes what was not done, and nothing again', async () => {
      const [flow] = await update('report', 'node', start)
      const keyAndLevel = ({ report }: Message) => [report.key, report.level]
      assert.deepEqual(keyAndLevel(await flow.output.next()), ['2026-11-21', 'warning'])
      await stop('node')
      pass(DAY)
      assert.deepEqual(keyAndLevel(await (await start()).output.next()), ['2026-11-22', 'warning'])
    })
  })
})
