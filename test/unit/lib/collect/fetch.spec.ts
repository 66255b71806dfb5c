import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import { type CurrentQuery, collectCurrent } from '../../../../src/lib/collect/current'
import { collectAlerts, collectLatest } from '../../../../src/lib/collect/fetch'
import { alertResponse, BASE, context, currentDevice, graph, relayGraph } from '../responses'
import { modelAccount } from './model-service'

const query: CurrentQuery = {
  selection: 'all',
  exclude: [],
  time: 'utc',
  staleAfter: null,
  format: 'read',
}
const how = { time: 'utc', format: 'read' } as const
const under = (serial: string, base: string) => currentDevice({ serial, baseunit: { ...BASE, serial: base } })
const nothing = { devices: [], bases: [], groups: [] }
const devices = [under('XXXXXXXX', 'BASE0001'), under('XXXXXXXX', 'BASE0002'), under('YYYYYYYY', 'BASE0001')]

/**
 * Collects current readings: requests sent, result, and number of updates of the list of devices.
 * @param isRemote what the list knows about the device
 */
async function current(
  over: Partial<CurrentQuery>,
  isRemote: (serial: string) => boolean | undefined = () => true,
) {
  const { account, requests } = modelAccount(() => ({ devices }))
  let updates = 0
  ;(account as { devices: unknown }).devices = { update: () => updates++, isRemote }
  const collected = await collectCurrent(account as Account, { ...query, ...over }, context)
  if (collected) assert.equal(collected.content.kind, 'current')
  const readings = collected?.content.kind === 'current' ? collected.content.readings : []
  const found = readings.map(({ serial, base }) => `${base.serial}/${serial}`)
  const missing = collected?.failed?.map(({ device }) => ('serial' in device ? device.serial : device.group))
  return {
    ...{ requests: requests.map(({ params }) => params), found, missing, updates },
    answered: collected !== undefined,
  }
}

describe('fetching current readings', () => {
  const all = ['BASE0001/XXXXXXXX', 'BASE0002/XXXXXXXX', 'BASE0001/YYYYYYYY']

  it('of all devices is one request without a filter, which updates the list of devices', async () => {
    assert.deepEqual(await current({}), {
      requests: [{}],
      found: all,
      missing: [],
      updates: 1,
      answered: true,
    })
  })

  it('of single devices is one request with their serials, without duplicates, as an array', async () => {
    const selection = {
      ...nothing,
      devices: [{ serial: 'XXXXXXXX' }, { serial: 'YYYYYYYY' }, { serial: 'XXXXXXXX' }],
    }
    const { requests, found, updates } = await current({ selection })
    assert.deepEqual(requests, [{ 'remote-serial': ['XXXXXXXX', 'YYYYYYYY'] }])
    assert.deepEqual([found, updates], [all, 0])
    // A message may say so of devices that the list does not know.
    const remote = { ...nothing, devices: [{ serial: 'XXXXXXXX', isRemote: true as const }] }
    const unlisted = await current({ selection: remote }, () => undefined)
    assert.deepEqual(unlisted.requests, [{ 'remote-serial': ['XXXXXXXX'] }])
  })

  it('keeps only the device under the named base unit if a serial exists under two', async () => {
    const selection = { ...nothing, devices: [{ serial: 'XXXXXXXX', base: 'BASE0002' }] }
    assert.deepEqual((await current({ selection })).found, ['BASE0002/XXXXXXXX'])
  })

  it('neither requests nor returns excluded devices', async () => {
    const exclude = ['XXXXXXXX']
    assert.deepEqual((await current({ exclude })).found, ['BASE0001/YYYYYYYY'])
    const named = { ...nothing, devices: [{ serial: 'XXXXXXXX' }, { serial: 'YYYYYYYY' }] }
    assert.deepEqual((await current({ exclude, selection: named })).requests, [
      { 'remote-serial': ['YYYYYYYY'] },
    ])
    const based = await current({ exclude, selection: { ...nothing, bases: ['BASE0001'] } })
    assert.deepEqual(based.found, ['BASE0001/YYYYYYYY'])
  })

  it('reports what was chosen and is not in the account, unless it is excluded', async () => {
    const selection = {
      devices: [{ serial: 'XXXXXXXX' }, { serial: 'NONE0001' }, { serial: 'NONE0002' }],
      ...{ bases: ['BASE0001', 'NONE0003', 'NONE0004'], groups: ['Nowhere'] },
    }
    const { missing } = await current({ selection, exclude: ['NONE0002', 'NONE0004'] })
    assert.deepEqual(missing, ['NONE0001', 'NONE0003', 'Nowhere'])
  })

  it('sends no request if no device is left', async () => {
    const selection = { ...nothing, devices: [{ serial: 'XXXXXXXX' }] }
    const { requests, found, answered } = await current({ exclude: ['XXXXXXXX'], selection })
    assert.deepEqual([requests, found, answered], [[], [], false])
  })

  it('of base units and standalone devices is one request with their serials', async () => {
    const named = { ...nothing, bases: ['BASE0001'], devices: [{ serial: 'ZZZZZZZZ', base: 'ZZZZZZZZ' }] }
    assert.deepEqual((await current({ selection: named })).requests, [
      { 'base-serial': ['BASE0001', 'ZZZZZZZZ'] },
    ])
    const known = { ...nothing, devices: [{ serial: 'ZZZZZZZZ' }] }
    assert.deepEqual((await current({ selection: known }, () => false)).requests, [
      { 'base-serial': ['ZZZZZZZZ'] },
    ])
  })

  it('of any other combination, of groups, and of unknown devices is one request without a filter', async () => {
    const mixes = [
      { ...nothing, devices: [{ serial: 'XXXXXXXX' }], bases: ['BASE0001'] },
      {
        ...nothing,
        devices: [
          { serial: 'XXXXXXXX', base: 'BASE0001' },
          { serial: 'ZZZZZZZZ', base: 'ZZZZZZZZ' },
        ],
      },
      { ...nothing, groups: ['Cold chain'] },
    ]
    for (const selection of mixes) {
      const { requests, updates } = await current({ selection })
      assert.deepEqual([requests, updates], [[{}], 1])
    }
    const selection = { ...nothing, devices: [{ serial: 'YYYYYYYY' }] }
    const unknown = await current({ selection }, () => undefined)
    assert.deepEqual([unknown.requests, unknown.found], [[{}], ['BASE0001/YYYYYYYY']])
  })
})

describe('fetching one device', () => {
  it('requests the newest records from the endpoint that serves it', async () => {
    const { account, requests } = modelAccount(({ endpoint }) =>
      endpoint === 'latest-data' ? graph() : relayGraph(),
    )
    await collectLatest(account, { serial: '5212A1B2', base: '5212A1B2' }, how, context)
    await collectLatest(account, { serial: '5212A1B2', base: '5839F001' }, how, context)
    assert.deepEqual(requests, [
      { endpoint: 'latest-data', params: { 'remote-serial': '5212A1B2' } },
      { endpoint: 'latest-data-relay', params: { 'remote-serial': '5212A1B2', 'base-serial': '5839F001' } },
    ])
  })

  it('rejects a response about another device, or under another base unit', async () => {
    const target = { serial: '5212A1B2', base: '5839F001' }
    const others = [
      { 'remote-serial': '5212A1B3' },
      { 'base-serial': '5839F002' },
      { 'remote-serial': '5212A1B3', 'base-serial': '5839F002' },
    ]
    for (const other of others) {
      const { account } = modelAccount(({ endpoint }) =>
        endpoint === 'alert' ? alertResponse(other) : relayGraph(other),
      )
      for (const rejected of [
        collectLatest(account, target, how, context),
        collectAlerts(account, target, how, context),
      ]) {
        await assert.rejects(rejected, { code: 'ENVLOG_REPLY', reason: 'response-other-device' })
      }
    }
    const { account } = modelAccount(() => relayGraph({ 'remote-serial': ' 5212a1b2 ' }))
    await collectLatest(account, target, how, context)
  })

  it('names up to three parts that cannot be read, and says that there are more', async () => {
    const partOf = async (count: number) => {
      const data = [{ unixtime: '1', ch1: '1' }, ...Array.from({ length: count }, () => 'x')]
      const { account } = modelAccount(() => graph({ data }))
      const { failed } = await collectLatest(account, { serial: '5212A1B2', base: '5212A1B2' }, how, context)
      return failed?.map(({ error }) => error.params.part)
    }
    assert.deepEqual(await Promise.all([0, 3, 4].map(partOf)), [
      [],
      ['data.1, data.2, data.3'],
      ['data.1, data.2, data.3, …'],
    ])
  })

  it('requests alerts with its own serial as base unit if it is standalone', async () => {
    const { account, requests } = modelAccount(() =>
      alertResponse({ 'alert-logs': [{ unixtime: '1', ch1: 'a' }] }),
    )
    const { content } = await collectAlerts(account, { serial: '5212A1B2', base: '5212A1B2' }, how, context)
    assert.deepEqual(requests[0], {
      endpoint: 'alert',
      params: { 'remote-serial': '5212A1B2', 'base-serial': '5212A1B2' },
    })
    assert.ok(content.kind === 'alerts')
    assert.equal(content.alerts.length, 1)
    assert.equal(content.device.serial, '5212A1B2')
  })
})
