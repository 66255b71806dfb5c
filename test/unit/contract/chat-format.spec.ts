/** What the examples post to a chat: the shape of each format, and parts that no chat refuses as too long. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { readExample } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { root } from '../../support/package'

const jsonata = createRequire(require.resolve('node-red'))('jsonata')

/** The longest text of a message in the formats `telegram` and `line`, in UTF-16 code units. */
const TELEGRAM = 4096
const LINE = 5000

const format = readFileSync(join(root, 'scripts', 'chat-format.jsonata'), 'utf8')
const fields = { events: [{ state: 'alarm' }] }
const post = (msg: object): Promise<unknown> => jsonata(format).evaluate({ text: 'too warm', fields, ...msg })

const FLOWS = ['Alarms/alarms to a chat', 'Alarms/alarms of loggers that upload in batches']

function partsOf(flow: readonly FlowNode[], payload: string): Promise<string[]> {
  const node = flow.find(({ name }) => name === 'parts and fields')
  const [rule] = (node?.rules ?? []) as { to: string }[]
  return jsonata(String(rule?.to)).evaluate({ payload })
}

describe('a message to a chat', () => {
  it('has the shape of its format', async () => {
    assert.deepEqual(await post({ format: 'slack', text: 'a & <b>' }), { text: 'a &amp; &lt;b&gt;' })
    assert.deepEqual(await post({ format: 'telegram', chat: '-100', text: 'a & <b>\nc' }), {
      chat_id: '-100',
      text: 'a & <b>\nc',
    })
    assert.deepEqual(await post({ format: 'line', chat: 'C1' }), {
      to: 'C1',
      messages: [{ type: 'text', text: 'too warm' }],
    })
    assert.deepEqual(await post({ format: 'json' }), { text: 'too warm', ...fields })
  })

  it('contains its fields once, as JSON in several parts', async () => {
    assert.deepEqual(await post({ format: 'json', parts: { index: 0 } }), { text: 'too warm', ...fields })
    assert.deepEqual(await post({ format: 'json', parts: { index: 1 } }), { text: 'too warm' })
  })

  it('is an error in an unknown format, or without the id of a chat', async () => {
    await assert.rejects(post({ format: 'fax' }), { message: /must be slack, teams, telegram, line or json/ })
    for (const name of ['telegram', 'line'])
      await assert.rejects(post({ format: name, chat: '' }), { message: /Enter the id of the chat/ })
  })

  for (const name of FLOWS) {
    const flow = readExample(name)

    it(`is sent in parts that are short enough, in whole lines and nothing lost: ${name}`, async () => {
      const line = fc.string({ unit: fc.constantFrom('a', '°', '冷', ' '), minLength: 1, maxLength: 1500 })
      await fc.assert(
        fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 20 }), async (lines) => {
          const parts = await partsOf(flow, lines.join('\n'))
          assert.deepEqual(parts.join('\n'), lines.join('\n'))
          for (const part of parts) assert.ok(part.length <= Math.min(TELEGRAM, LINE), String(part.length))
          for (const [at, part] of parts.slice(1).entries())
            assert.ok(`${parts[at]}${part.split('\n')[0]}`.length >= 3500, 'as few as possible')
        }),
        { numRuns: 50 },
      )
    })

    it(`is cut if a single line is too long: ${name}`, async () => {
      const parts = await partsOf(flow, `${'x'.repeat(9000)}\nshort`)
      assert.deepEqual(
        parts.map(({ length }) => length),
        [3500, 5],
      )
    })
  }
})
