import assert from 'node:assert/strict'
import { systemClock } from '../../../src/lib/clock'
import { createDirectory } from '../../../src/lib/collect/directory'
import { EnvlogError } from '../../../src/lib/errors'
import { BASE, currentDevice, currentEnvelope, failure, never } from '../answers'
import { useFakeTimers, watch } from '../api/setup'

const MINUTE = 60_000
const device = (serial: string, base = BASE.serial) =>
  currentDevice({ serial, baseunit: { ...BASE, serial: base } })

/** A directory of these serials, which may change; each answer takes a second. */
function setup(...serials: string[]) {
  const service = { serials, failing: false, asked: 0 }
  const directory = createDirectory(async (signal) => {
    service.asked++
    await systemClock.sleep(1000, signal)
    if (service.failing) throw new EnvlogError('no-connection', { detail: 'ECONNREFUSED' })
    return currentEnvelope(...service.serials.map((serial) => device(serial)))
  }, systemClock)
  return { service, directory }
}
const serials = (entries: readonly { serial: string }[]) => entries.map(({ serial }) => serial)

describe('the directory', () => {
  const timers = useFakeTimers()
  /** A promise's value after so much time. */
  async function later<T>(promise: Promise<T>, ms = 1000): Promise<T> {
    promise.catch(() => {})
    await timers().tickAsync(ms)
    return promise
  }

  it('tells each device under its base unit, with name, group and offset', async () => {
    const { directory } = setup('A0000001')
    const [entry] = await later(directory.all(never))
    assert.deepEqual(entry, {
      serial: 'A0000001',
      base: '5839F001',
      name: 'Freezer 3',
      group: 'Cold chain',
      utcOffset: 540,
    })
    const { name, group } = await directory.describe('A0000001', '5839F001', never)
    assert.deepEqual([name, group], ['Freezer 3', 'Cold chain'])
    assert.deepEqual(await directory.describe('A0000001', 'OTHER001', never), { name: '', group: '' })
    assert.equal(await directory.utcOffset('A0000001', '5839F001', never), 540)
    await assert.rejects(directory.utcOffset('A0000001', 'OTHER001', never), failure('device-unknown'))
  })

  it('is fetched once however many ask', async () => {
    const { service, directory } = setup('A0000001')
    const asked = [directory.all(never), directory.find('A0000001', never), directory.all(never)]
    const found = await later(Promise.all(asked))
    assert.deepEqual(found.map(serials), [['A0000001'], ['A0000001'], ['A0000001']])
    assert.equal(service.asked, 1)
  })

  it('is kept ten minutes, and then fetched again', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    service.serials = ['B0000002']
    assert.deepEqual(serials(await later(directory.all(never), 10 * MINUTE - 1001)), ['A0000001'])
    assert.equal(service.asked, 1)
    await timers().tickAsync(2000)
    assert.deepEqual(serials(await later(directory.all(never))), ['B0000002'])
    assert.equal(service.asked, 2)
  })

  it('tells the new list to all who ask while it is fetched again', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    service.serials = ['B0000002']
    await timers().tickAsync(11 * MINUTE)
    const both = await later(Promise.all([directory.all(never), directory.all(never)]))
    assert.deepEqual(both.map(serials), [['B0000002'], ['B0000002']])
    assert.equal(service.asked, 2)
  })

  it('is refreshed for an unknown serial, at most once a minute', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    service.serials = ['A0000001', 'B0000002']
    assert.deepEqual(await later(directory.find('B0000002', never)), [], 'within a minute')
    await timers().tickAsync(MINUTE)
    assert.deepEqual(serials(await later(directory.find('B0000002', never))), ['B0000002'])
    assert.equal(service.asked, 2)
    for (let count = 0; count < 50; count++) await later(directory.find('NONE0000', never))
    assert.equal(service.asked, 2, 'fifty seconds of asking')
    await timers().tickAsync(MINUTE)
    await later(directory.find('NONE0000', never))
    assert.equal(service.asked, 3)
  })

  it('is not refreshed for a serial it has', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    await later(directory.find('A0000001', never), 5 * MINUTE)
    assert.equal(service.asked, 1)
  })

  it('tells a new serial to both who ask for it at the same time', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    service.serials = ['B0000002', 'C0000003']
    await timers().tickAsync(2 * MINUTE)
    const both = [directory.find('B0000002', never), directory.find('C0000003', never)]
    assert.deepEqual((await later(Promise.all(both))).map(serials), [['B0000002'], ['C0000003']])
    assert.equal(service.asked, 2)
  })

  it('keeps the old list where a refresh fails, and tries again after a minute', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    service.failing = true
    await timers().tickAsync(11 * MINUTE)
    assert.deepEqual(serials(await later(directory.all(never))), ['A0000001'])
    assert.deepEqual(serials(await later(directory.all(never))), ['A0000001'])
    assert.deepEqual(await later(directory.find('B0000002', never)), [])
    assert.equal(service.asked, 2)
    Object.assign(service, { failing: false, serials: ['B0000002'] })
    await timers().tickAsync(MINUTE)
    assert.deepEqual(serials(await later(directory.all(never))), ['B0000002'])
  })

  it('fails with the request where there is no list at all', async () => {
    const { service, directory } = setup('A0000001')
    service.failing = true
    await assert.rejects(later(directory.all(never)), failure('ENVLOG_NETWORK'))
    await assert.rejects(later(directory.describe('A0000001', 'x', never)), failure('ENVLOG_NETWORK'))
    service.failing = false
    assert.equal((await later(directory.all(never))).length, 1)
  })

  it('takes over an answer that came without a filter, and counts from then', async () => {
    const { service, directory } = setup('A0000001')
    directory.learn(currentEnvelope(device('L0000001')))
    assert.deepEqual(serials(await directory.all(never)), ['L0000001'])
    await timers().tickAsync(9 * MINUTE)
    directory.learn(currentEnvelope(device('L0000002')))
    await timers().tickAsync(9 * MINUTE)
    assert.deepEqual(serials(await directory.all(never)), ['L0000002'])
    assert.equal(service.asked, 0)
    directory.learn(currentEnvelope(device('L0000003')))
    assert.deepEqual(await directory.find('NONE0000', never), [], 'that was a refresh a moment ago')
    assert.equal(service.asked, 0)
  })

  it('survives a clock that is set back', async () => {
    const { service, directory } = setup('A0000001')
    await later(directory.all(never))
    timers().setSystemTime(Date.now() - 24 * 60 * MINUTE)
    await later(directory.all(never))
    assert.equal(service.asked, 2)
  })

  it('gives ENVLOG_CLOSED to who gives up, and the list to the others', async () => {
    const { service, directory } = setup('A0000001')
    const abort = new AbortController()
    const gone = watch(directory.all(abort.signal))
    const stays = watch(directory.all(never))
    await timers().tickAsync(500)
    abort.abort()
    await timers().tickAsync(500)
    assert.deepEqual([gone.state, stays.state, service.asked], ['closed', 'done', 1])
  })
})
