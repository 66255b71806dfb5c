import assert from 'node:assert/strict'
import { sleep, systemClock } from '../../../../src/lib/clock'
import { AccountDevices, DevicesState } from '../../../../src/lib/collect/account-devices'
import { EnvlogError } from '../../../../src/lib/errors'
import type { RequestContext } from '../../../../src/lib/request'
import { json } from '../../../support/fake-transport'
import { clientOf, useFakeTimers, watch } from '../api/setup'
import { BASE, context, contextOf, currentDevice, currentEnvelope, failure, never } from '../responses'

const MINUTE = 60_000
const device = (serial: string, base = BASE.serial) =>
  currentDevice({ serial, baseunit: { ...BASE, serial: base } })

/** A list of these serials, which can be changed; each response takes a second. */
function setup(...serials: string[]) {
  const service = { serials, failing: false, requests: 0 }
  const { client } = clientOf(
    async () => {
      service.requests++
      await sleep(systemClock, 1000, never)
      if (service.failing) throw new EnvlogError('no-connection', { detail: 'ECONNREFUSED' })
      return json({ devices: service.serials.map((serial) => device(serial)) })
    },
    { retries: 0 },
  )
  const fetch = (context: RequestContext) => client.read('current', {}, context)
  return { service, devices: new AccountDevices(new DevicesState(), fetch, systemClock) }
}
/** A list from a response with these devices. */
function listOf(...answered: unknown[]) {
  const { client } = clientOf(() => json({ devices: answered }))
  return new AccountDevices(new DevicesState(), (context) => client.read('current', {}, context), systemClock)
}
const withSerial = (devices: AccountDevices, serial: string) =>
  devices.filter((one) => one.serial === serial, context)
const serials = (entries: readonly { serial: string }[]) => entries.map(({ serial }) => serial)

describe('the list of devices of an account', () => {
  const timers = useFakeTimers()
  /** The value of a promise after some time. */
  async function later<T>(promise: Promise<T>, ms = 1000): Promise<T> {
    promise.catch(() => {})
    await timers().tickAsync(ms)
    return promise
  }

  it('contains each device with its base unit, name, group and offset', async () => {
    const { devices } = setup('A0000001')
    const [entry] = await later(devices.all(context))
    assert.deepEqual(entry, {
      serial: 'A0000001',
      base: '5839F001',
      name: 'Freezer 3',
      group: { number: 1, name: 'Cold chain' },
      utcOffset: 540,
    })
    assert.equal(await devices.find('A0000001', '5839F001', context), entry)
    assert.equal(await devices.find('A0000001', 'OTHER001', context), undefined)
    assert.equal(await devices.utcOffset('A0000001', '5839F001', context), 540)
    await assert.rejects(devices.utcOffset('A0000001', 'OTHER001', context), failure('device-unknown'))
  })

  it('has the name of a device, under any base unit if that is not known, and none for a blank one', async () => {
    const unnamed = currentDevice({ serial: 'A0000002', name: '' })
    const devices = listOf(device('A0000001'), unnamed)
    assert.equal(devices.nameOf({ serial: 'A0000001' }), undefined)
    await later(devices.all(context))
    const nameOf = (serial: string, base?: string) => devices.nameOf({ serial, base })
    assert.deepEqual(
      [
        nameOf('A0000001'),
        nameOf('A0000001', '5839F001'),
        nameOf('A0000001', 'OTHER001'),
        nameOf('A0000002'),
      ],
      ['Freezer 3', 'Freezer 3', undefined, undefined],
    )
  })

  it('is not refreshed for a device that it contains under another base unit', async () => {
    const { service, devices } = setup('A0000001')
    await later(devices.all(context))
    await timers().tickAsync(2 * MINUTE)
    assert.equal(await later(devices.find('A0000001', 'OTHER001', context)), undefined)
    assert.equal(service.requests, 1)
  })

  it('is requested again after a minute if it is empty', async () => {
    const { service, devices } = setup()
    await later(devices.all(context))
    service.serials = ['A0000001']
    await timers().tickAsync(MINUTE - 1)
    assert.deepEqual(await later(devices.all(context), 1), [])
    assert.deepEqual(serials(await later(devices.all(context))), ['A0000001'])
  })

  it('contains a device if only its reading or its offset is unreadable', async () => {
    const unreadable = { ...device('A0000002'), channel: 'none' }
    const withoutOffset = { ...device('A0000002'), std_bias: 'n/a' }
    for (const [answered, utcOffset] of [
      [[device('A0000001'), unreadable], 540],
      [[unreadable], 540],
      [[withoutOffset], null],
    ] as const) {
      const devices = listOf(...answered)
      const [entry] = await later(withSerial(devices, 'A0000002'))
      const about = {
        base: '5839F001',
        name: 'Freezer 3',
        group: { number: 1, name: 'Cold chain' },
        utcOffset,
      }
      assert.deepEqual(entry, { serial: 'A0000002', ...about })
      assert.equal(await devices.utcOffset('A0000002', '5839F001', context), utcOffset)
      assert.deepEqual([devices.has('A0000002', '5839F001'), devices.has('A0000002', 'x')], [true, false])
    }
  })

  it('fails if no device is readable', async () => {
    await assert.rejects(later(listOf('none').all(context)), failure('response-unreadable'))
  })

  it('is fetched once for any number of callers', async () => {
    const { service, devices } = setup('A0000001')
    const results = [devices.all(context), withSerial(devices, 'A0000001'), devices.all(context)]
    const found = await later(Promise.all(results))
    assert.deepEqual(found.map(serials), [['A0000001'], ['A0000001'], ['A0000001']])
    assert.equal(service.requests, 1)
  })

  it('is cached for ten minutes, and then fetched again', async () => {
    const { service, devices } = setup('A0000001')
    await later(devices.all(context))
    service.serials = ['B0000002']
    assert.deepEqual(serials(await later(devices.all(context), 10 * MINUTE - 1001)), ['A0000001'])
    assert.equal(service.requests, 1)
    await timers().tickAsync(2000)
    assert.deepEqual(serials(await later(devices.all(context))), ['B0000002'])
    assert.equal(service.requests, 2)
  })

  it('is refreshed for an unknown serial, at most once a minute', async () => {
    const { service, devices } = setup('A0000001')
    await later(devices.all(context))
    service.serials = ['A0000001', 'B0000002']
    assert.deepEqual(await later(withSerial(devices, 'B0000002')), [], 'within a minute')
    await timers().tickAsync(MINUTE)
    assert.deepEqual(serials(await later(withSerial(devices, 'B0000002'))), ['B0000002'])
    assert.equal(service.requests, 2)
    for (let count = 0; count < 50; count++) await later(withSerial(devices, 'NONE0000'))
    assert.equal(service.requests, 2, 'fifty seconds of requests')
    await timers().tickAsync(MINUTE)
    await later(withSerial(devices, 'NONE0000'))
    assert.equal(service.requests, 3)
  })

  it('reports the kind of a device from a list of the last ten minutes, or from the last list', async () => {
    const { devices } = setup('A0000001')
    await later(devices.all(context))
    const kinds = () => [true, false].map((isCurrent) => devices.isRemote('A0000001', isCurrent))
    assert.deepEqual(kinds(), [true, true])
    await timers().tickAsync(10 * MINUTE)
    assert.deepEqual(kinds(), [undefined, true])
  })

  it('knows no kind of a serial that is a remote unit and a standalone device, for requests of current readings', async () => {
    const devices = listOf(device('A0000001'), device('A0000001', 'A0000001'), device('B0000002', 'B0000002'))
    await later(devices.all(context))
    const kinds = ['A0000001', 'B0000002', 'C0000003'].map((serial) => devices.isRemote(serial, false))
    assert.deepEqual(kinds, [undefined, false, undefined])
  })

  it('contains a new serial for both callers that look it up at the same time', async () => {
    const { service, devices } = setup('A0000001')
    await later(devices.all(context))
    service.serials = ['B0000002', 'C0000003']
    await timers().tickAsync(2 * MINUTE)
    const both = [withSerial(devices, 'B0000002'), withSerial(devices, 'C0000003')]
    assert.deepEqual((await later(Promise.all(both))).map(serials), [['B0000002'], ['C0000003']])
    assert.equal(service.requests, 2)
  })

  it('keeps the old list if a refresh fails, and retries after a minute', async () => {
    const { service, devices } = setup('A0000001')
    await later(devices.all(context))
    service.failing = true
    await timers().tickAsync(11 * MINUTE)
    assert.deepEqual(serials(await later(devices.all(context))), ['A0000001'])
    assert.deepEqual(serials(await later(devices.all(context))), ['A0000001'])
    assert.deepEqual(await later(withSerial(devices, 'B0000002')), [])
    assert.equal(service.requests, 2)
    Object.assign(service, { failing: false, serials: ['B0000002'] })
    await timers().tickAsync(MINUTE)
    assert.deepEqual(serials(await later(devices.all(context))), ['B0000002'])
  })

  it('fails with the request if there is no list', async () => {
    const { service, devices } = setup('A0000001')
    service.failing = true
    await assert.rejects(later(devices.all(context)), failure('ENVLOG_NETWORK'))
    await assert.rejects(later(devices.find('A0000001', 'x', context)), failure('ENVLOG_NETWORK'))
    service.failing = false
    assert.equal((await later(devices.all(context))).length, 1)
  })

  it('is replaced by an unfiltered response, and its age counts from then', async () => {
    const { service, devices } = setup('A0000001')
    devices.update({ body: currentEnvelope(device('L0000001')), receivedAt: 0 })
    assert.deepEqual(serials(await devices.all(context)), ['L0000001'])
    await timers().tickAsync(9 * MINUTE)
    devices.update({ body: currentEnvelope(device('L0000002')), receivedAt: 0 })
    await timers().tickAsync(9 * MINUTE)
    assert.deepEqual(serials(await devices.all(context)), ['L0000002'])
    assert.equal(service.requests, 0)
    devices.update({ body: currentEnvelope(device('L0000003')), receivedAt: 0 })
    assert.deepEqual(await withSerial(devices, 'NONE0000'), [], 'it was refreshed a moment ago')
    assert.equal(service.requests, 0)
  })

  it('rejects an aborted caller with ENVLOG_CLOSED, and returns the list to the others', async () => {
    const { service, devices } = setup('A0000001')
    const abort = new AbortController()
    const gone = watch(devices.all(contextOf(abort.signal)))
    const stays = watch(devices.all(context))
    await timers().tickAsync(500)
    abort.abort()
    await timers().tickAsync(500)
    assert.deepEqual([gone.state, stays.state, service.requests], ['closed', 'done', 1])
  })
})
