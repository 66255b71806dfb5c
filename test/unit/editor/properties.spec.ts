import assert from 'node:assert/strict'
import { findPeriodProblem } from '../../../src/editor/period-field'
import { propertiesOf } from '../../../src/editor/properties'
import { accountSchema, credentialsSchema } from '../../../src/shared/account-schema'
import { ACTION_TYPES, type ActionType } from '../../../src/shared/action'
import { actionSchemas } from '../../../src/shared/action-schemas'
import { STORED_SECRET } from '../../../src/shared/admin'
import { alarmsSchema } from '../../../src/shared/alarms-schema'
import type { Schema } from '../../../src/shared/schema'
import { useFakeRed } from '../../support/fake-red'

const FROM_ENVIRONMENT = '$' + '{ENVLOG}'
const ends = { from: findPeriodProblem, to: findPeriodProblem }

/** The form's verdict on the value of a property: `true` or a sentence. */
function verdict(schema: Schema, name: string, value: unknown, others: object = {}): true | string {
  const { validate } = propertiesOf(schema, ends)[name] ?? assert.fail(name)
  const type = Object.entries(actionSchemas).find(([, known]) => known === schema)?.[0] ?? ''
  const node = { id: '', type, ...others }
  return validate.call(node, value, {})
}
const ofAction = (name: string, value: unknown, others?: object, type: ActionType = 'envlog-latest') =>
  verdict(actionSchemas[type], name, value, others)
const ofAccount = (name: string, value: unknown) => verdict(accountSchema, name, value)
const ofCredential = (name: string, value: unknown) => verdict(credentialsSchema, name, value)
const ofPeriod = (end: 'from' | 'to', value: string, saved: object = {}) =>
  ofAction(end, value, { from: '', fromType: 'rel', to: '', toType: 'date', ...saved }, 'envlog-range')

describe('the form of a new node', () => {
  useFakeRed()

  it('is valid except for required entries', () => {
    for (const schema of [accountSchema, ...ACTION_TYPES.map((type) => actionSchemas[type])]) {
      const properties = Object.entries(propertiesOf(schema as Schema))
      const node = Object.fromEntries(properties.map(([name, { value }]) => [name, value]))
      const invalid = properties.filter(([name, { value }]) => verdict(schema, name, value, node) !== true)
      assert.deepEqual(
        invalid.map(([name]) => name),
        schema === accountSchema ? ['baseUrl'] : [],
      )
    }
  })
})

describe('a form', () => {
  useFakeRed()

  it('accepts environment variables and stored secrets, which only the runtime knows', () => {
    for (const found of [
      ofAccount('baseUrl', FROM_ENVIRONMENT),
      ofAction('repeat', FROM_ENVIRONMENT),
      ofPeriod('to', FROM_ENVIRONMENT),
      ofCredential('apiKey', STORED_SECRET),
    ]) {
      assert.equal(found, true)
    }
  })

  it('claims no conflict with a setting that is an environment variable, nor with one in a list', () => {
    const acknowledged = (others: object) => ofAction('advance', 'acknowledged', { onlyNew: true, ...others })
    for (const found of [
      acknowledged({ output: FROM_ENVIRONMENT, send: 'device' }),
      acknowledged({ output: 'rows', send: FROM_ENVIRONMENT }),
      ofAction('devices', [{ serial: FROM_ENVIRONMENT, base: FROM_ENVIRONMENT }], { select: 'list' }),
      ofAction('exclude', ['5F0A1001', FROM_ENVIRONMENT]),
      ofPeriod('to', '-24h', { fromType: 'rel', toType: 'rel', from: FROM_ENVIRONMENT }),
    ]) {
      assert.equal(found, true)
    }
    assert.match(String(ofAction('exclude', [FROM_ENVIRONMENT, 'x'])), /contains 'x'/)
  })

  it('states what is allowed, with the name of the property', () => {
    for (const [found, sentence] of [
      [
        ofAction('repeat', '1.5'),
        "'Repeat every' must be from 0 to 2,000,000 seconds, without a fraction of a second.",
      ],
      [ofAction('select', 'some'), "'Devices' must be one of all, list, base, group, msg."],
      [ofAction('exclude', 'x'), "'Exclude' must be a list."],
      [ofAction('topic', 5), "'Topic' must be text."],
      [ofAction('topic', 'a/+/{serial}'), /^'Topic' must not contain \+ or #/],
      [ofAction('topic', 'a/{seriall}/{name}'), /^'Topic' contains {seriall}, which is not a placeholder/],
      [ofAction('topic', '{{serial}}'), /contains {}/],
      [ofAction('topic', 'a/{serial'), /contains {serial,/],
      [ofAction('topic', '{base}/{serial}/{name}-{group}'), true],
      [ofAction('topic', ''), true],
      [
        ofAction('output', 'statistics'),
        /^'Output' must be one of readings, rows, points, values, raw, csv, csv2/,
      ],
      [ofAction('send', 'all', { output: 'rows' }), "'Send' must be one of device, each."],
      [ofAction('send', 'all', { output: 'values' }), true],
      [
        ofAction('measurement', 'a b', { output: 'points' }),
        "'Measurement' must not contain spaces, commas or backslashes.",
      ],
      [ofAction('version', 2), /^Saved by a newer version/],
      [ofAction('exclude', ['5F0A1001', 'x']), /^'Exclude' contains 'x', which is not a serial number/],
      [ofAccount('baseUrl', ''), "'Address' is missing."],
      [ofAccount('temperatureUnit', 'K'), "'Temp. unit' must be one of C, F."],
      [ofAccount('sharedQuota', 'redis://:pass@host'), /in 'Redis password'/],
      [ofCredential('apiKey', 'k'.repeat(44)), "'API key' must have 45 characters (now 44)."],
      [ofCredential('loginPass', 'abc'), "'Password' must have 4 to 16 characters (now 3)."],
    ] as const) {
      if (!(sentence instanceof RegExp)) assert.equal(found, sentence)
      else assert.match(String(found), sentence)
    }
  })

  it('does not validate settings that the node does not use, because it does not show them', () => {
    const [latest, range] = ['envlog-latest', 'envlog-range'] as const
    for (const [type, name, value, unused, used] of [
      [latest, 'measurement', 'a b', { output: 'readings' }, { output: 'points' }],
      [latest, 'ackTimeout', 'x', { onlyNew: false, advance: 'acknowledged' }, { advance: 'acknowledged' }],
      [latest, 'ackTimeout', 'x', { advance: 'sent' }, { onlyNew: true, advance: 'acknowledged' }],
      [latest, 'start', 'soon', { onlyNew: false }, {}],
      [latest, 'advance', 'soon', { onlyNew: false }, {}],
      [latest, 'devices', ['x'], { select: 'base' }, { select: 'list' }],
      [range, 'chunk', 'x', { send: 'device' }, { send: 'chunk' }],
      [range, 'number', 'x', { output: 'statistics' }, { output: 'rows' }],
      [range, 'to', 'x', { fromType: 'calendar' }, { fromType: 'date', toType: 'date' }],
    ] as const) {
      assert.equal(ofAction(name, value, unused, type), true, name)
      assert.notEqual(ofAction(name, value, used, type), true, name)
    }
    for (const output of ['states', 'summary']) {
      assert.equal(verdict(alarmsSchema, 'send', 'x', { output }), true, output)
      assert.notEqual(verdict(alarmsSchema, 'send', 'x', {}), true, output)
    }
  })

  it('validates settings together with those they depend on', () => {
    const bases = ['5F0A1001']
    assert.equal(ofAction('devices', [], { select: 'list' }), 'No device is chosen.')
    assert.equal(ofAction('devices', [], { select: 'list', bases }), true)
    assert.equal(ofAction('bases', [], { select: 'base' }), 'No base unit is chosen.')
    assert.equal(ofAction('groups', [], { select: 'group' }), 'No group is chosen.')
    assert.match(String(ofAction('repeat', 60, { select: 'msg', propertyType: 'msg' })), /must be 0/)
    const acknowledged = (others: object) => ofAction('advance', 'acknowledged', { onlyNew: true, ...others })
    assert.match(String(acknowledged({ output: 'values', send: 'value' })), /Receipts need/)
    assert.equal(acknowledged({ output: 'rows', send: 'device' }), true)
  })

  it('rejects period bounds that cannot be read or are in the wrong order', () => {
    const [date, rel] = [
      { fromType: 'date', toType: 'date' },
      { fromType: 'rel', toType: 'rel' },
    ]
    assert.match(String(ofPeriod('from', '24h', rel)), /-24h/)
    assert.match(String(ofPeriod('from', '2026-02-30', date)), /must be a time such as/)
    assert.match(String(ofPeriod('from', 'tomorrow', { fromType: 'calendar' })), /must be one of today,/)
    for (const [value, saved] of [
      ['2026-11-20 08:00', { ...date, from: '2026-11-20 08:00' }],
      ['-24h', rel],
      ['-7d', { ...rel, from: '-24h' }],
      // In every time zone, this local time is earlier.
      ['2026-11-19 20:00', { ...date, from: '2026-11-20T08:00Z' }],
    ] as const) {
      assert.match(String(ofPeriod('to', value, saved)), /later than the beginning/, value)
    }
    for (const [value, saved] of [
      ['', date],
      ['2026-11-20T08:00:00Z', { ...date, from: '2026-11-20 16:00' }],
      ['2026-11-20', { ...date, from: '2026-11-19' }],
      ['2026-11-19 20:01', { ...date, from: '2026-11-20T08:00Z' }],
      ['-1h', rel],
      ['-24h', { ...rel, from: '-7d' }],
      ['-24h', { ...rel, fromType: 'msg', from: 'payload' }],
    ] as const) {
      assert.equal(ofPeriod('to', value, saved), true, `${value}`)
    }
  })
})
