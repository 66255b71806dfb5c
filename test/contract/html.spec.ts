import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { definitionOf, definitionsIn, nodes, scriptsOf } from '../support/built'

/** The flow library parses the text: esbuild indents the keys of the definition by four spaces. */
function literalOf(script: string, type: string): string {
  const start = script.indexOf(`RED.nodes.registerType("${type}", {\n`)
  assert.notEqual(start, -1, 'registerType with a literal type and definition')
  return script.slice(start, script.indexOf('\n  });', start))
}

for (const { type, name, folder, html, script } of nodes) {
  const isConfig = type === 'envlog-account'

  describe(`the built html of ${type}`, () => {
    it('is in the folder of its js', () => {
      assert.ok(existsSync(join(folder, `${name}.js`)))
      assert.ok(existsSync(join(folder, `${name}.html`)))
    })

    it('contains one inline script and one form, and nothing else', () => {
      assert.deepEqual(
        scriptsOf(html).map(({ attributes }) => attributes.trim()),
        ['type="text/javascript"', `type="text/html" data-template-name="${type}"`],
      )
      assert.equal(html.match(/<script\b/g)?.length, 2)
      // The style of all forms is in the account's html, which is always loaded.
      const rest = html.replace(/<script\b[\s\S]*?<\/script>/g, '').trim()
      assert.equal(isConfig ? rest.replace(/^<style>\n[^<]*<\/style>$/, '') : rest, '')
    })

    it('registers its type with a literal definition, for static analysis', () => {
      const literal = literalOf(script, type)
      const keys = [...literal.matchAll(/^ {4}(\w+)(?=[:(])/gm)].map(([, key]) => key)
      assert.ok(keys.includes('label'))
      assert.match(literal, isConfig ? /^ {4}category: "config",$/m : /^ {4}category: "envlog",$/m)
      assert.match(literal, /^ {4}defaults: \{$/m)
      for (const key of ['inputs', 'outputs']) assert.equal(keys.includes(key), !isConfig, key)
      if (!isConfig) assert.match(literal, /^ {4}inputs: 1,\n {4}outputs: 1,$/m)
      assert.equal(html.match(/registerType\(/g)?.length, 1)
    })

    it('registers nothing but its type when it is run', () => {
      assert.deepEqual([...definitionsIn([script]).keys()], [type])
    })

    it('loads nothing from elsewhere', () => {
      assert.doesNotMatch(html, /\b(?:src|href|action)\s*=\s*["']?(?:https?:|\/\/|resources\/)/i)
      assert.doesNotMatch(html, /<(?:link|iframe|img|object|embed)\b/i)
      assert.doesNotMatch(script, /resources\/|\bimport\(|getScript|@import|url\(/)
      assert.doesNotMatch(script, /\.(?:src|href)\s*=/)
    })

    it('has an icon of its own beside it', () => {
      const { icon } = definitionOf(type)
      if (!isConfig) assert.equal(icon, `${name}.svg`)
      assert.ok(existsSync(join(folder, 'icons', `${name}.svg`)))
    })

    it('has validators whose reasons Node-RED shows: they declare exactly two parameters', () => {
      for (const [property, { validate }] of Object.entries(definitionOf(type).defaults)) {
        if (validate === undefined) continue
        assert.equal(typeof validate, 'function', property)
        assert.equal((validate as () => void).length, 2, property)
      }
    })
  })
}

describe('the built package', () => {
  it('has the five nodes', () => {
    const expected = ['account', 'current', 'latest', 'range', 'alerts'].map((name) => `envlog-${name}`)
    assert.deepEqual(
      nodes.map(({ type }) => type),
      expected,
    )
  })
})
