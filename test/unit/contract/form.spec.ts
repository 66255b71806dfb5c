import assert from 'node:assert/strict'
import { credentialsSchema } from '../../../src/shared/account-schema'
import type { ActionType } from '../../../src/shared/action'
import { actionSchemas } from '../../../src/shared/action-schemas'
import { findProblem } from '../../../src/shared/schema'
import { type BuiltNode, type Definition, definitionOf, nodes } from '../../support/built'

/** Properties without a plain input: the id of their element, or none. */
const OTHER_FIELDS: Record<string, string | undefined> = {
  version: undefined,
  devices: 'envlog-devices',
  bases: 'envlog-bases',
  groups: 'envlog-groups',
  exclude: 'envlog-exclude',
}

function idsIn({ form }: BuiltNode): string[] {
  return [...form.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id)
}

for (const node of nodes) {
  const { type, form } = node
  const prefix = type === 'envlog-account' ? 'node-config-input-' : 'node-input-'

  describe(`the form of ${type}`, () => {
    let defaults: Definition['defaults']
    let credentials: NonNullable<Definition['credentials']>
    let fields: string[]
    const ids = idsIn(node)

    before('reads the definition', () => {
      ;({ defaults, credentials = {} } = definitionOf(type))
      fields = [...Object.keys(defaults), ...Object.keys(credentials)]
    })

    it('has a field for each property and credential', () => {
      const missing = fields
        .map((name) => (name in OTHER_FIELDS ? OTHER_FIELDS[name] : `${prefix}${name}`))
        .filter((id) => id !== undefined && !ids.includes(id))
      assert.deepEqual(missing, [])
    })

    it('explains each setting in its row', () => {
      const hint = type === 'envlog-account' ? 'account.hint-' : 'hint.'
      const unexplained = ['version', 'devices', 'bases', 'groups', 'propertyType', 'fromType', 'toType']
      assert.deepEqual(
        fields.filter((name) => !form.includes(`data-i18n="[title]${hint}${name}"`)),
        unexplained.filter((name) => fields.includes(name)),
      )
    })

    it('uses each id once, and each label belongs to a field', () => {
      assert.deepEqual(ids, [...new Set(ids)])
      const labelled = [...form.matchAll(/\sfor="([^"]*)"/g)].map(([, id = '']) => id)
      assert.deepEqual(
        labelled.filter((id) => !ids.includes(id)),
        [],
      )
    })

    it('has no credential among its properties, and masks secrets', () => {
      assert.deepEqual(
        Object.keys(credentials).filter((name) => name in defaults),
        [],
      )
      for (const [name, { type: kind }] of Object.entries(credentials)) {
        const field = form.match(new RegExp(`<input[^>]*id="${prefix}${name}"[^>]*>`))?.[0] ?? ''
        assert.equal(/type="password"/.test(field), kind === 'password', name)
      }
    })

    it('offers the choices in its schema', () => {
      const selects = [...form.matchAll(/<select id="node-input-(\w+)"[^>]*>([\s\S]*?)<\/select>/g)]
      for (const [, name = '', options = ''] of selects) {
        const offered = [...options.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)
        const problem = findProblem(actionSchemas[type as ActionType], name, '?')
        // Scripts fill the empty ones.
        if (offered.length > 0) assert.equal(offered.join(', '), problem?.choices, name)
      }
    })
  })
}

describe('the default values', () => {
  it('are complete except for the credentials, of which only the login ID is readable', () => {
    const { credentials = {} } = definitionOf('envlog-account')
    assert.deepEqual(Object.keys(credentials), Object.keys(credentialsSchema.shape))
    const readable = Object.keys(credentials).filter((name) => credentials[name]?.type !== 'password')
    assert.deepEqual(readable, ['loginId'])
  })

  it('are complete except for the account', () => {
    for (const { type } of nodes) {
      const required = Object.entries(definitionOf(type).defaults).filter(([, each]) => each.required)
      const expected = type === 'envlog-account' ? ['baseUrl'] : ['account']
      assert.deepEqual(
        required.map(([name]) => name),
        expected,
      )
    }
  })
})
