import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { definitionOf, html, iconOf, nodes, script, scriptsOf } from '../../support/built'

/** The flow library parses the text: esbuild indents the keys of the definition by four spaces. */
function literalOf(script: string, type: string): string {
  const start = script.indexOf(`RED.nodes.registerType("${type}", {\n`)
  assert.notEqual(start, -1, 'registerType with a literal type and definition')
  return script.slice(start, script.indexOf('\n  });', start))
}

describe('the built html', () => {
  it('contains the style, one inline script and a form of each node, and nothing else', () => {
    assert.deepEqual(
      scriptsOf(html).map(({ attributes }) => attributes.trim()),
      ['type="text/javascript"', ...nodes.map(({ type }) => `type="text/html" data-template-name="${type}"`)],
    )
    assert.equal(html.match(/<script\b/g)?.length, nodes.length + 1)
    assert.match(html.replace(/<script\b[\s\S]*?<\/script>/g, '').trim(), /^<style>\n[^<]*<\/style>$/)
  })

  it('loads nothing from elsewhere', () => {
    assert.doesNotMatch(html, /\b(?:src|href|action)\s*=\s*["']?(?:https?:|\/\/|resources\/)/i)
    assert.doesNotMatch(html, /<(?:link|iframe|img|object|embed)\b/i)
    assert.doesNotMatch(script, /resources\/|\bimport\(|getScript|@import|url\(/)
    assert.doesNotMatch(script, /\.(?:src|href)\s*=/)
  })
})

for (const node of nodes) {
  const { type, name } = node
  const isConfig = ['envlog-account', 'envlog-limits'].includes(type)

  describe(`the built definition of ${type}`, () => {
    it('is literal, for static analysis', () => {
      const literal = literalOf(script, type)
      const keys = [...literal.matchAll(/^ {4}(\w+)(?=[:(])/gm)].map(([, key]) => key)
      assert.ok(keys.includes('label'))
      assert.match(literal, isConfig ? /^ {4}category: "config",$/m : /^ {4}category: "envlog",$/m)
      assert.match(literal, /^ {4}defaults: \{$/m)
      for (const key of ['inputs', 'outputs']) assert.equal(keys.includes(key), !isConfig, key)
      const outputs = type === 'envlog-report' ? 2 : 1
      if (!isConfig) assert.match(literal, new RegExp(`^ {4}inputs: 1,\\n {4}outputs: ${outputs},$`, 'm'))
    })

    it('has its own icon', () => {
      if (!isConfig) assert.equal(definitionOf(type).icon, `${name}.svg`)
      assert.ok(existsSync(iconOf(node)))
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
