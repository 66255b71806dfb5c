import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EnvlogError } from '../../../../src/lib/errors'
import { readAccountSettings } from '../../../../src/nodes/account/account-settings'
import { readActionSettings } from '../../../../src/nodes/kit/settings/action-settings'
import { ACTION_TYPES } from '../../../../src/shared/action'
import {
  type Migration,
  migrateSettings,
  readVersion,
  SETTINGS_VERSION,
} from '../../../../src/shared/versions'

const TYPES = ['envlog-account', ...ACTION_TYPES] as const
const credentials = { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: 'pass' }

const anySettings = fc.dictionary(fc.string(), fc.jsonValue())
const readers = {
  account: (version: unknown) =>
    readAccountSettings({ baseUrl: 'https://service.example', version }, credentials),
  action: (version: unknown) => readActionSettings('envlog-current', { account: 'a', version }),
}

/** Migrations of a future: version 2 renames a property of range, 3 changes a unit of range and of current. */
const future: readonly Migration[] = [
  { 'envlog-range': ({ number, ...rest }) => ({ ...rest, most: number }) },
  {
    'envlog-range': (saved) => ({ ...saved, repeat: Number(saved.repeat) * 1000 }),
    'envlog-current': (saved) => ({ ...saved, repeat: Number(saved.repeat) * 1000 }),
  },
]

function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (inner && typeof inner === 'object') frozen(inner)
  return Object.freeze(value)
}

describe('the version of saved settings', () => {
  it('leaves current settings unchanged', () => {
    const property = fc.property(fc.constantFrom(...TYPES), anySettings, (type, saved) => {
      assert.equal(migrateSettings(type, saved, SETTINGS_VERSION), saved)
    })
    fc.assert(property)
  })

  it('migrates settings of version 1 without a change of meaning', () => {
    // Nothing has changed since; later migrations must keep this, except for what they rename.
    const { repeat, number, topic } = readActionSettings('envlog-range', {
      account: 'a',
      version: 1,
      repeat: '60',
      number: 300,
      topic: 't/{serial}',
    })
    assert.deepEqual([repeat, number, topic], [60, 300, 't/{serial}'])
  })

  it('removes base units of version 1 that had no effect beside chosen devices', () => {
    const saved = { select: 'list', devices: [{ serial: '5212A1B2' }], bases: ['5839F001'], note: 'mine' }
    assert.deepEqual(migrateSettings('envlog-current', saved, 1), {
      ...saved,
      bases: [],
      version: SETTINGS_VERSION,
    })
    const under = { ...saved, select: 'base' }
    assert.deepEqual(migrateSettings('envlog-latest', under, 1), { ...under, version: SETTINGS_VERSION })
  })

  it('applies the migrations of all later versions, for each node type', () => {
    const saved = { id: 'n', name: 'x', repeat: 2, number: 5 }
    const steps = (type: (typeof TYPES)[number], version: number) =>
      migrateSettings(type, saved, version, future)
    assert.deepEqual(steps('envlog-range', 1), { id: 'n', name: 'x', repeat: 2000, most: 5, version: 3 })
    assert.deepEqual(steps('envlog-range', 2), { id: 'n', name: 'x', repeat: 2000, number: 5, version: 3 })
    assert.deepEqual(steps('envlog-current', 1), { id: 'n', name: 'x', repeat: 2000, number: 5, version: 3 })
    assert.deepEqual(steps('envlog-account', 1), { ...saved, version: 3 })
    assert.equal(steps('envlog-range', 3), saved)
  })

  it('does not modify the saved settings, and has the same result in one step as in several', () => {
    const property = fc.property(
      fc.constantFrom(...TYPES),
      anySettings,
      fc.integer({ min: 1, max: 3 }),
      (type, settings, version) => {
        const saved = frozen({ ...settings, version })
        const once = migrateSettings(type, saved, version, future)
        const between = migrateSettings(type, saved, version, future.slice(0, 1))
        const twice = migrateSettings(type, between, Math.max(version, 2), future)
        assert.deepEqual(twice, once)
        assert.equal(migrateSettings(type, once, 3, future), once)
      },
    )
    fc.assert(property)
  })

  it('may be absent or text, and is a whole number from 1 on', () => {
    for (const version of [undefined, null, '', 1, '1']) assert.equal(readVersion({ version }), 1)
    assert.equal(readVersion({}), 1)
    assert.equal(readVersion({ version: '12' }), 12)
    for (const version of [0, -1, 1.5, Number.NaN, 'x', true, [], {}])
      assert.equal(readVersion({ version }), undefined)
  })

  for (const [what, read] of Object.entries(readers)) {
    it(`of an ${what} newer than the package is an error that asks for an update`, () => {
      assert.throws(
        () => read(SETTINGS_VERSION + 1),
        (error) => {
          assert.ok(error instanceof EnvlogError)
          assert.deepEqual([error.code, error.reason], ['ENVLOG_CONFIG', 'settings-newer'])
          assert.deepEqual(error.params, { saved: SETTINGS_VERSION + 1, known: SETTINGS_VERSION })
          return true
        },
      )
    })

    it(`of an ${what} is named if it is invalid`, () => {
      assert.throws(() => read('x'), { reason: 'setting-invalid', params: { property: 'version' } })
    })
  }
})
