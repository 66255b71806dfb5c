import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sanitizeText } from '../../../../src/lib/decode/value'
import { formatTopic, type TopicValues } from '../../../../src/lib/output/topic'

const device: TopicValues = {
  account: 'Plant A',
  base: '5839F001',
  serial: '5212A1B2',
  name: 'Freezer 3',
  group: 'Cold chain',
}
const value: TopicValues = {
  ...device,
  channel: { number: 2, label: 'Inside', unit: '%', quantity: 'humidity' },
}

describe('a topic', () => {
  it('is created from the placeholders of the template', () => {
    assert.equal(
      formatTopic('{account}/{base}/{serial}/{name}/{group}/{channel}/{label}/{unit}/{quantity}', value),
      'Plant A/5839F001/5212A1B2/Freezer 3/Cold chain/2/Inside/%/humidity',
    )
    assert.equal(formatTopic('a-{serial}-{channel}/{serial}', value), 'a-5212A1B2-2/5212A1B2')
  })

  it('omits channel segments if the message is about a whole device, and no others', () => {
    assert.equal(formatTopic('a/{channel}/{label}{unit}/{quantity}/b', device), 'a/b')
    assert.equal(formatTopic('a/ch{channel}/{unit}-{label}', device), 'a/ch_/_-_')
    assert.equal(formatTopic('a/{channel}/{serial}', value), 'a/2/5212A1B2')
    assert.equal(formatTopic('a/{serial}{channel}', device), 'a/5212A1B2_')
  })

  it('has _ for empty values', () => {
    assert.equal(
      formatTopic('{name}/{group}/{unit}', {
        ...value,
        name: '',
        group: '',
        channel: { number: 1, label: '', unit: '', quantity: '' },
      }),
      '_/_/_',
    )
  })

  it('is undefined if the template is blank, or nothing is left of it', () => {
    for (const template of ['', ' ', '\t', '{channel}'])
      assert.equal(formatTopic(template, device), undefined)
  })

  it("keeps the template's own text and unknown placeholders", () => {
    assert.equal(formatTopic('/{other}//x {serial}', device), '/{other}//x 5212A1B2')
  })

  it('treats names that look like placeholders or patterns as names', () => {
    assert.equal(
      formatTopic('{name}/{serial}', { ...device, name: '{serial}$&{channel}' }),
      '{serial}$&{channel}/5212A1B2',
    )
    assert.equal(formatTopic('{name}', { ...device, name: '__proto__' }), '__proto__')
  })

  it('never gets more levels, wildcards, control characters or a reserved beginning from a value', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'/+#$\u0000\n\u007f\u0085\u2028a{}日') })
    const channel = fc.record({
      number: fc.integer({ min: 1, max: 6 }),
      label: hostile,
      unit: hostile,
      quantity: hostile,
    })
    const values = fc.record({
      account: hostile,
      base: hostile,
      serial: hostile,
      name: hostile,
      group: hostile,
      channel,
    })
    fc.assert(
      fc.property(values, (given) => {
        const topic =
          formatTopic(
            '{account}/{base}/{serial}/{name}/{group}/{channel}/{label}/{unit}/{quantity}',
            given,
          ) ?? ''
        const levels = topic.split('/')
        assert.equal(levels.length, 9)
        assert.ok(levels.every((level) => level !== ''))
        assert.doesNotMatch(topic, /^\$|[+#]|\p{Cc}|\u2028/u)
      }),
    )
  })

  it('is not longer than MQTT allows, however long the texts of the service are', () => {
    const long = sanitizeText('温'.repeat(10_000))
    const channel = { number: 1, label: long, unit: long, quantity: long }
    const topic = formatTopic('{name}/{group}/{label}/{unit}', {
      ...{ ...device, name: long, group: long },
      channel,
    })
    assert.ok(Buffer.byteLength(topic ?? '') <= 65_535)
  })
})
