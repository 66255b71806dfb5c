import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { definitionOf, html, iconOf, nodes, script, scriptsOf } from '../../support/built'

/** The flow library parses the text up to the first function of the definition. */
function literalOf(script: string, type: string): string {
  const text = script.replace(/\n/g, '')
  const start = text.indexOf(`RED.nodes.registerType("${type}",{`)
  assert.notEqual(start, -1, 'registerType with a literal type and definition')
  return text.slice(start, text.indexOf('label', text.indexOf('defaults:{', start)))
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
      assert.match(literal, isConfig ? /\{category:"config",/ : /\{category:"envlog",/)
      assert.match(literal, /\bdefaults:\{name:/)
      const outputs = type === 'envlog-report' ? 2 : 1
      if (!isConfig) assert.ok(literal.includes(`,inputs:1,outputs:${outputs},`))
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
