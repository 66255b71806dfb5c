import assert from 'node:assert/strict'
import { schemas } from '../../../scripts/schemas'
import { credentialsSchema } from '../../../src/shared/account-schema'
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
  const isConfig = definitionOf(type).category === 'config'
  const prefix = isConfig ? 'node-config-input-' : 'node-input-'
  const otherFields: typeof OTHER_FIELDS =
    type === 'envlog-limits'
      ? { ...OTHER_FIELDS, limits: 'envlog-limits', rows: 'envlog-limits' }
      : OTHER_FIELDS

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
        .map((name) => (name in otherFields ? otherFields[name] : `${prefix}${name}`))
        .filter((id) => id !== undefined && !ids.includes(id))
      assert.deepEqual(missing, [])
    })

    it('explains each setting in its row', () => {
      const unexplained = [
        'version',
        'devices',
        'bases',
        'groups',
        'propertyType',
        'fromType',
        'toType',
        'limitsType',
        'rows',
      ]
      const isExplained = (name: string) =>
        [`hint.${name}`, `${node.name}.hint-${name}`].some((key) =>
          form.includes(`data-i18n="[title]${key}"`),
        )
      assert.deepEqual(
        fields.filter((name) => !isExplained(name)),
        unexplained.filter((name) => fields.includes(name)),
      )
    })

    it('offers exactly the choices of its schema in each list', () => {
      const lists = [...form.matchAll(new RegExp(`<select id="${prefix}(\\w+)"[^>]*>([^]*?)</select>`, 'g'))]
      const offered = lists.map(([, name = '', options = '']) => {
        const values = [...options.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value)
        return { name, choices: values.join(', ') }
      })
      // Scripts fill the others.
      const filled = offered.filter(({ choices }) => choices !== '')
      const described = filled.map(({ name }) => ({
        name,
        choices: findProblem(schemas[type as keyof typeof schemas], name, '?')?.choices,
      }))
      assert.deepEqual(filled, described)
    })
  })
}

describe('the credentials of an account', () => {
  let names: string[]
  let credentials: NonNullable<Definition['credentials']>
  let defaults: Definition['defaults']

  before('reads the definition', () => {
    ;({ credentials = {}, defaults } = definitionOf('envlog-account'))
    names = Object.keys(credentials)
  })

  it('are those of its schema, and are not saved among its properties', () => {
    assert.deepEqual(names, Object.keys(credentialsSchema.shape))
    assert.deepEqual(
      names.filter((name) => name in defaults),
      [],
    )
  })

  it('are masked, except for the login ID', () => {
    const form = nodes.find(({ type }) => type === 'envlog-account')?.form ?? ''
    const inputType = (name: string) =>
      form
        .match(new RegExp(`<input[^>]*id="node-config-input-${name}"[^>]*>`))?.[0]
        .match(/type="(\w+)"/)?.[1]
    for (const name of names) {
      const expected = name === 'loginId' ? 'text' : 'password'
      assert.deepEqual([credentials[name]?.type, inputType(name)], [expected, expected], name)
    }
  })
})

describe('the required settings', () => {
  it('are the account or the limits of each node, and the address of an account', () => {
    for (const { type } of nodes) {
      const required = Object.entries(definitionOf(type).defaults).filter(([, each]) => each.required)
      const expected = { 'envlog-account': ['baseUrl'], 'envlog-alarms': ['limits'] }[type] ?? ['account']
      assert.deepEqual(
        required.map(([name]) => name),
        expected,
      )
    }
  })
})
