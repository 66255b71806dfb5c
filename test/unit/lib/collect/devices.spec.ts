import assert from 'node:assert/strict'
import { systemClock } from '../../../../src/lib/clock'
import { AccountDevices, DevicesState } from '../../../../src/lib/collect/account-devices'
import { resolveDevices } from '../../../../src/lib/collect/devices'
import { BASE, context, currentDevice, currentEnvelope } from '../responses'

const under = (serial: string, base: string, group = '') =>
  currentDevice({
    serial,
    name: `name of ${serial}`,
    baseunit: { ...BASE, serial: base },
    group: group === '' ? null : { num: 1, name: group },
  })

/** X under two base units, Y under one, Z standalone. */
const devices = [
  under('XXXXXXXX', 'BASE0001'),
  under('XXXXXXXX', 'BASE0002', 'Cold chain'),
  under('YYYYYYYY', 'BASE0001', 'Cold chain'),
  under('ZZZZZZZZ', 'ZZZZZZZZ'),
]

function createList() {
  let requests = 0
  const made = new AccountDevices(
    new DevicesState(),
    async () => {
      requests++
      return { body: currentEnvelope(...devices), receivedAt: 0 }
    },
    systemClock,
  )
  return { made, requestCount: () => requests }
}

const resolve = async (selection: Parameters<typeof resolveDevices>[0], exclude: string[] = []) => {
  const { devices: targets, unknown } = await resolveDevices(selection, exclude, createList().made, context)
  return {
    targets: targets.map(({ base, serial }) => `${base}/${serial}`),
    unknown: unknown.map(({ device, error }) => [
      'serial' in device ? device.serial : device.group,
      error.reason,
      error.code,
      error.cause.serial,
    ]),
  }
}
const nothing = { devices: [], bases: [], groups: [] }
const list = (...named: { serial: string; base?: string }[]) => ({ ...nothing, devices: named })

describe('the devices to request', () => {
  it("are all devices of the account, in the service's order, each with its base unit", async () => {
    assert.deepEqual(await resolve('all'), {
      targets: ['BASE0001/XXXXXXXX', 'BASE0002/XXXXXXXX', 'BASE0001/YYYYYYYY', 'ZZZZZZZZ/ZZZZZZZZ'],
      unknown: [],
    })
  })

  it('are under all their base units if none is named', async () => {
    const { targets } = await resolve(list({ serial: 'ZZZZZZZZ' }, { serial: 'XXXXXXXX' }))
    assert.deepEqual(targets, ['ZZZZZZZZ/ZZZZZZZZ', 'BASE0001/XXXXXXXX', 'BASE0002/XXXXXXXX'])
  })

  it('are as named if the base unit is named, without the list', async () => {
    const { made, requestCount } = createList()
    const { devices: targets } = await resolveDevices(
      list({ serial: 'NEW00001', base: 'BASE0009' }),
      [],
      made,
      context,
    )
    assert.deepEqual(targets, [{ serial: 'NEW00001', base: 'BASE0009' }])
    assert.equal(requestCount(), 0)
  })

  it('are all under the named base units', async () => {
    const { targets } = await resolve({ ...nothing, bases: ['BASE0001', 'NONE0000'] })
    assert.deepEqual(targets, ['BASE0001/XXXXXXXX', 'BASE0001/YYYYYYYY'])
  })

  it('are all in the named groups, and a group that no device belongs to is unknown', async () => {
    assert.deepEqual(await resolve({ ...nothing, groups: ['Cold chain', 'Nowhere'] }), {
      targets: ['BASE0002/XXXXXXXX', 'BASE0001/YYYYYYYY'],
      unknown: [['Nowhere', 'group-unknown', 'ENVLOG_INPUT', undefined]],
    })
  })

  it('contain each device once, regardless of how often it is named', async () => {
    const { targets } = await resolve({
      ...nothing,
      devices: [{ serial: 'YYYYYYYY' }, { serial: 'YYYYYYYY', base: 'BASE0001' }, { serial: 'YYYYYYYY' }],
      bases: ['BASE0001'],
    })
    assert.deepEqual(targets, ['BASE0001/YYYYYYYY', 'BASE0001/XXXXXXXX'])
  })

  it('do not contain excluded devices, which are not unknown either', async () => {
    const exclude = ['XXXXXXXX', 'NONE0000']
    assert.deepEqual((await resolve('all', exclude)).targets, ['BASE0001/YYYYYYYY', 'ZZZZZZZZ/ZZZZZZZZ'])
    assert.deepEqual((await resolve({ ...nothing, bases: ['BASE0002'] }, exclude)).targets, [])
    const named = list(
      { serial: 'XXXXXXXX', base: 'BASE0001' },
      { serial: 'XXXXXXXX' },
      { serial: 'NONE0000' },
    )
    assert.deepEqual(await resolve(named, exclude), { targets: [], unknown: [] })
  })

  it('are reported if the account does not have them, and the others are requested', async () => {
    assert.deepEqual(await resolve(list({ serial: 'NONE0000' }, { serial: 'YYYYYYYY' })), {
      targets: ['BASE0001/YYYYYYYY'],
      unknown: [['NONE0000', 'device-unknown', 'ENVLOG_INPUT', 'NONE0000']],
    })
  })
})
