import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { brief, MINUTE, Monitoring, nowIn, other, readingOf } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }

describe('limits that no device matches', () => {
  const rows = [
    { ...TOO_WARM, devices: [{ serial: '5212A1B2' }, { serial: '5212A1B9' }], bases: ['5839F002'] },
    { name: 'by group', above: -15, groups: ['Cold chain'] },
    { name: 'too damp', above: 80, quantity: 'humidity', bases: ['5839F001'] },
    { name: 'general', above: 1000, quantity: 'co2' },
  ]
  const lives = (node: Monitoring, minutes: number, more = {}) => {
    const events: LimitEvent[] = []
    for (let minute = 0; minute < minutes; minute++)
      events.push(...node.wait(1), ...node.receive([readingOf(nowIn(node), -18, more)]))
    return events
  }

  it('are reported once, when devices had time to arrive, and again when it is something else', () => {
    const node = new Monitoring(rows)
    assert.deepEqual(lives(node, 59), [])
    const [alarm, ...others] = lives(node, 5)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [alarm?.state, alarm?.condition, alarm?.detail],
      ['alarm', 'no-match', 'too warm: 5212A1B9, too warm: 5839F002, too damp: humidity'],
    )
    node.restart()
    assert.deepEqual(lives(node, 65), [])
    const [renamed] = lives(node, 5, { group: { number: 1, name: 'Freezers' } })
    assert.match(`${renamed?.detail}`, /, by group: Cold chain, /)
  })

  it('are reported after an hour at most, with ten names at most', () => {
    const serials = Array.from({ length: 11 }, (_, index) => ({ serial: `5212A2${10 + index}` }))
    const node = new Monitoring([{ ...TOO_WARM, devices: serials }], { silentAfterMs: 600 * MINUTE })
    assert.deepEqual(lives(node, 60), [])
    const names = lives(node, 2)[0]?.detail?.split(', ')
    assert.deepEqual([names?.length, names?.at(-1)], [11, '…'])
    const ten = new Monitoring([{ ...TOO_WARM, devices: serials.slice(1) }])
    assert.doesNotMatch(`${lives(ten, 61).at(-1)?.detail}`, /…/)
  })

  it('are looked for anew if the process stood still while the devices arrived', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B3' }] }])
    const events = lives(node, 10)
    node.clock.advance(50 * MINUTE)
    events.push(...lives(node, 60))
    assert.deepEqual(events, [])
    assert.deepEqual(brief(lives(node, 2)), ['alarm no-match'])
  })

  it('are also limits for all devices, if they may be for a channel of an unknown quantity', () => {
    const node = new Monitoring([{ name: 'too damp', above: 80, quantity: 'humidity' }])
    const channels = [{ key: 'ch1', number: 1, name: 'Inside', unit: '%', quantity: null, value: 90 }]
    assert.equal(lives(node, 61, { channels }).at(-1)?.detail, 'too damp: humidity')
  })

  it('are not limits of a channel number for all devices', () => {
    const node = new Monitoring([{ name: 'third', above: 80, channel: 3 }])
    const channels = [{ key: 'ch1', number: 1, name: 'Inside', unit: '%', quantity: null, value: 90 }]
    assert.deepEqual(lives(node, 61, { channels }), [])
  })

  it('are not reported again as the devices arrive one by one', () => {
    const serials = Array.from({ length: 12 }, (_, index) => `5212A2${10 + index}`)
    const node = new Monitoring([{ ...TOO_WARM, devices: serials.map((serial) => ({ serial })) }])
    const events = lives(node, 61)
    for (const serial of serials) events.push(...lives(node, 2, { serial }))
    assert.deepEqual(brief(events), ['alarm no-match', 'normal no-match'])
  })

  it('are none if one of the channels of a device is what they are for', () => {
    const node = new Monitoring([{ name: 'too damp', above: 80, quantity: 'humidity', bases: ['5839F001'] }])
    const channels = ['temperature', 'humidity'].map((quantity, index) => ({
      ...{ key: `ch${index + 1}`, number: index + 1, name: '', unit: '', quantity, value: 5 },
    }))
    assert.deepEqual(lives(node, 62, { channels }), [])
  })

  it('are none if one of several devices has what they are for', () => {
    const node = new Monitoring([{ name: 'too damp', above: 80, quantity: 'humidity', bases: ['5839F001'] }])
    const channels = [{ key: 'ch1', number: 1, name: '', unit: '%', quantity: 'humidity', value: 5 }]
    node.receive([readingOf(nowIn(node), -18, { serial: '5212A1B3', channels })])
    assert.deepEqual(lives(node, 59), [])
    assert.deepEqual(brief(lives(node, 3)), ['alarm silent 5212A1B3'])
  })

  it('name a channel number that no device has', () => {
    const node = new Monitoring([{ name: 'third', above: 80, channel: 3, bases: ['5839F001'] }])
    assert.equal(lives(node, 61).at(-1)?.detail, 'third: ch3')
  })

  it('are not devices that a row by base unit does not select', () => {
    const row = { ...TOO_WARM, select: 'base', devices: [{ serial: '5212A1B9' }], bases: ['5839F001'] }
    assert.deepEqual(lives(new Monitoring([row]), 62), [])
  })

  it('stay reported if another device is forgotten', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B3' }] }])
    lives(node, 61)
    node.command((monitor) => monitor.forget(['5212A1B2']))
    assert.equal(node.monitor.summarize().alarms, 1)
  })

  it('are over when all match', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B3' }] }])
    assert.deepEqual(brief(lives(node, 61)), ['alarm no-match'])
    node.receive([other(nowIn(node), -18)])
    assert.deepEqual(brief(node.wait(1)), ['normal no-match'])
  })

  it('are also limits of a device at another base unit', () => {
    const devices = [{ serial: '5212A1B2', base: '5839F002' }]
    assert.equal(lives(new Monitoring([{ ...TOO_WARM, devices }]), 61).at(-1)?.detail, 'too warm: 5212A1B2')
  })

  it('are looked for anew after a device was forgotten', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B3' }] }])
    lives(node, 30)
    node.receive([other(nowIn(node), -18)])
    lives(node, 32)
    node.command((monitor) => monitor.forget(['5212A1B3']))
    assert.deepEqual(lives(node, 59), [])
    assert.deepEqual(brief(lives(node, 2)), ['alarm no-match'])
    node.command((monitor) => monitor.forget('all'))
    assert.equal(node.monitor.summarize().alarms, 0)
  })

  it('are named until they match, and are reported again if they cease to', () => {
    const devices = ['5212A1B3', '5212A1B4'].map((serial) => ({ serial }))
    const node = new Monitoring([{ ...TOO_WARM, devices }])
    lives(node, 61)
    node.receive([other(nowIn(node), -18)])
    node.wait(1)
    assert.equal(node.monitor.alarms.alarms()[0]?.event.detail, 'too warm: 5212A1B4')
    node.command((monitor) => monitor.forget(['5212A1B3']))
    assert.equal(lives(node, 62).at(-1)?.detail, 'too warm: 5212A1B3, too warm: 5212A1B4')
  })

  it('are not reported while no data arrives, and not at once after that', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B3' }] }])
    node.receive([readingOf(nowIn(node), -18)])
    assert.deepEqual(brief(node.wait(120)), ['alarm no-data'])
    assert.deepEqual(brief(lives(node, 59)), ['normal no-data'])
    assert.deepEqual(brief(lives(node, 5)), ['alarm no-match'])
  })

  it('are not reported for want of devices that have sent nothing for 30 days', () => {
    const rows = [TOO_WARM, { name: 'by device', above: -15, devices: [{ serial: '5212A1B2' }] }]
    const node = new Monitoring(rows)
    lives(node, 61)
    assert.deepEqual(brief(node.wait(31 * 1440)), ['alarm no-data'])
    assert.equal(node.monitor.summarize().devices, 0)
    const quiet = new Monitoring([TOO_WARM], { silentAfterMs: Number.POSITIVE_INFINITY })
    lives(quiet, 61)
    assert.deepEqual(quiet.wait(31 * 1440), [])
  })

  it('are not reported before anything has arrived', () => {
    const node = new Monitoring([{ ...TOO_WARM, devices: [{ serial: '5212A1B2' }] }], {
      silentAfterMs: 150 * MINUTE,
    })
    assert.deepEqual(brief(node.wait(151)), ['alarm no-data'])
  })
})
