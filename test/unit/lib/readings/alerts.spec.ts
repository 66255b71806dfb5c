import assert from 'node:assert/strict'
import { alertResponse, BASE, failure, type Json, readAlerts } from '../responses'

const read = (...entries: Json[]) => readAlerts(alertResponse({ 'alert-logs': entries }), 'utc')

describe('an alert log', () => {
  it('is converted to the element in docs/messages.md', () => {
    const { alerts } = read({ unixtime: '1795161600', ch1: 'Inside: upper limit exceeded 12.1 C (8.0 C)' })
    assert.deepEqual(alerts, [
      {
        serial: '5212A1B2',
        name: 'Freezer 3',
        model: 'M-503',
        base: BASE,
        standalone: false,
        time: '2026-11-20T08:00:00.000Z',
        timestamp: 1_795_161_600_000,
        utcOffset: 540,
        source: 'ch1',
        channel: { key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' },
        kind: 'upper-limit',
        text: 'Inside: upper limit exceeded 12.1 C (8.0 C)',
      },
    ])
  })

  it('has one element for each text, channels before battery and communication', () => {
    const { alerts } = read({
      unixtime: '10',
      'communication-status': 'no radio',
      'battery-level': 'low',
      ch6: 'six',
      ch2: 'two',
      ch1: 'one',
    })
    assert.deepEqual(
      alerts.map(({ source, text }) => [source, text]),
      [
        ['ch1', 'one'],
        ['ch2', 'two'],
        ['ch6', 'six'],
        ['battery', 'low'],
        ['communication', 'no radio'],
      ],
    )
    assert.deepEqual(
      alerts.map(({ channel }) => channel?.name),
      ['Inside', 'ch2', 'ch6', undefined, undefined],
    )
    assert.equal(alerts[3]?.channel, null)
  })

  it('leaves out blank and missing texts, and entries without texts', () => {
    const { alerts } = read(
      { unixtime: '10', ch1: '', ch2: ' ', ch3: null, 'battery-level': {} },
      { unixtime: '20' },
    )
    assert.deepEqual(alerts, [])
  })

  it('is oldest first for any order in the response', () => {
    const [a, b, c] = ['10', '20', '30'].map((unixtime) => ({ unixtime, ch1: `at ${unixtime}` })) as Json[]
    for (const entries of [
      [a, b, c],
      [c, b, a],
      [b, c, a],
    ]) {
      const { alerts } = read(...(entries as Json[]))
      assert.deepEqual(
        alerts.map(({ timestamp }) => timestamp),
        [10_000, 20_000, 30_000],
      )
    }
  })

  it('reverses entries with the same time together with the others', () => {
    const same = (text: string) => ({ unixtime: '20', ch1: text })
    const newestFirst = [{ unixtime: '30', ch1: 'd' }, same('c'), same('b'), { unixtime: '10', ch1: 'a' }]
    const texts = (entries: Json[]) =>
      read(...entries)
        .alerts.map(({ text }) => text)
        .join('')
    assert.equal(texts(newestFirst), 'abcd')
    assert.equal(texts(newestFirst.toReversed()), 'abcd')
    assert.equal(texts([same('c'), same('b')]), 'bc', 'the sample in the description is newest first')
  })

  it('puts entries without a time first', () => {
    const { alerts } = read({ unixtime: '10', ch1: 'a' }, { unixtime: '', ch1: 'undated' })
    assert.deepEqual(
      alerts.map(({ text, time }) => [text, time !== null]),
      [
        ['undated', false],
        ['a', true],
      ],
    )
  })

  it('leaves out unreadable entries, and reports which', () => {
    for (const entry of [[], 'text', 7, { unixtime: 'soon', ch1: 'a' }]) {
      const { alerts, unreadable } = read({ unixtime: '10', ch1: 'a' }, entry as never)
      assert.deepEqual([alerts.length, unreadable.length], [1, 1])
      assert.match(String(unreadable), /^alert-logs\.1\b/)
    }
    assert.deepEqual(read({ unixtime: '10', ch1: 'a' }, null as never).unreadable, [], 'null counts as none')
  })

  it('is unreadable if none of its entries can be read', () => {
    assert.throws(() => read({ unixtime: 'soon', ch1: 'a' }), failure('reply-unreadable'))
  })
})
