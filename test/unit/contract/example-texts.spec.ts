/** Texts of others in the examples: names, units, alerts, errors of the service. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import {
  type RuleName,
  ruleNames,
  toJavaScript,
  toJsonata,
  withoutTexts,
  withTexts,
} from '../../../scripts/texts'
import { exampleNames, readExample } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'

const jsonata = createRequire(require.resolve('node-red'))('jsonata')

const flows = exampleNames.map((name) => ({ name, flow: readExample(name) }))

const inJsonata = (rule: RuleName, text: unknown): Promise<unknown> =>
  jsonata(`(\n  ${toJsonata(rule)}\n  $${rule}(text)\n)`).evaluate({ text })

const inJavaScript = (rule: RuleName, text: unknown): unknown =>
  new Function('text', `return ${rule}(text)\n${toJavaScript(rule)}`)(text)

/** Texts with many of the characters that matter. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'=+-@＝＋－＠<>&"\'`/\\.:|*\t\r\n \u3000\0\u007f\u0085\u2028\u202e$1{}%冷'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
})

/** What may leave. */
const isSafe: Record<RuleName, (text: string) => boolean> = {
  line: (text) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text),
  // As node-red-node-email recognizes HTML.
  mail: (text) => !/<[a-z][\s\S]*>/i.test(text),
  cell: (text) =>
    !/^[\t\r]/.test(text) && !/^[=+\-@＝＋－＠]/.test(text.trimStart()) && !/^(?:\d+E\d+|0\d+)$/i.test(text),
  tag: (text) => !/[\\ ]$/.test(text),
  fileName: (text) => /^[\w-]*$/.test(text),
}

/** What is passed on as it is. */
const HARMLESS: Record<RuleName, string> = {
  line: 'Freezer 3, "Inside": <-15 °C — 冷凍庫',
  mail: 'Freezer 3 > "Inside" & \'door\': -15 °C\n冷凍庫',
  cell: 'Freezer -3 = 冷\r\n"a", b; c, 5214E001, 0',
  tag: '\\ Freezer "3\\"',
  fileName: '52A10001-ch1',
}

describe('a text of others', () => {
  for (const rule of ruleNames) {
    it(`is safe as ${rule}, in JSONata and in JavaScript alike`, async () => {
      await fc.assert(
        fc.asyncProperty(hostile, async (text) => {
          const result = inJavaScript(rule, text)
          assert.equal(await inJsonata(rule, text), result)
          assert.ok(isSafe[rule](String(result)), JSON.stringify(result))
          assert.equal(inJavaScript(rule, result), result, 'not twice')
        }),
      )
    })

    it(`is left alone as ${rule} if it is harmless or no text`, async () => {
      for (const value of [HARMLESS[rule], '', -5.5, 0, null, true]) {
        assert.deepEqual(inJavaScript(rule, value), value)
        assert.deepEqual(await inJsonata(rule, value), value)
      }
      assert.equal(await inJsonata(rule, undefined), undefined)
    })
  }

  it('is not lost, except from file names', async () => {
    assert.equal(inJavaScript('line', ' a\r\n\u2028b\tc'), ' a b c')
    assert.equal(inJavaScript('mail', 'Room <b>3</b>'), 'Room ‹b>3‹/b>')
    for (const text of ['=1+1', ' -5', '\n@a', '\ta', '＝A1', '5214E001', '1e5', '00012345'])
      assert.equal(inJavaScript('cell', text), `'${text}`)
    assert.equal(inJavaScript('fileName', '/../C:\\x.csv'), '____C__x_csv')
  })
})

/** Each node's expressions and code. */
const codeOf = ({ func, rules, property, template, format, type }: FlowNode): string[] => [
  ...(Array.isArray(rules) ? rules.flatMap(({ to, v }) => [to, v]) : []).map(String),
  ...[func, property, template, type === 'ui-template' ? '' : format]
    .filter((code) => code !== undefined)
    .map(String),
]

/** The ids of the nodes to which a node sends. */
const nextOf = ({ type, wires = [], links = [] }: FlowNode): string[] => [
  ...(wires as string[][]).flat(),
  ...(type === 'link out' ? (links as string[]) : []),
]

/** The nodes that receive a message with its `msg.envlog`, which a node replaces or deletes. */
function reachedFrom(ids: readonly string[], flow: readonly FlowNode[]): Set<FlowNode> {
  const reached = new Set<FlowNode>()
  const deletes = ({ rules = [] }: FlowNode) =>
    (rules as { t: string; p: string; pt?: string }[]).some(
      ({ t, p, pt }) => p === 'envlog' && (t === 'delete' || (t === 'set' && pt === 'msg')),
    )
  const receive = (id: string): void => {
    const node = flow.find((one) => one.id === id)
    if (!node || reached.has(node) || deletes(node)) return
    reached.add(node)
    nextOf(node).forEach(receive)
  }
  ids.forEach(receive)
  return reached
}

describe('the examples', () => {
  it('contain what scripts/complete.ts writes for texts of others', () => {
    for (const { name, flow } of flows) assert.deepEqual(flow, flow.map(withTexts), name)
  })

  it('escape such texts in no other way', () => {
    const own = /&(?:lt|gt|amp);|‹|\[[^\]\n]*=\+|\[\\r\\n\]|\[\r\n\]|\\x1f|\[\^0-9A-Za-z/
    const found = flows.flatMap(({ name, flow }) =>
      flow
        .filter((node) => codeOf(node).some((code) => own.test(withoutTexts(code))))
        .map(({ id }) => `${name}: ${id}`),
    )
    assert.deepEqual(found, [])
  })

  it('take no text of others as part of a property', () => {
    const paths = ({ func: _, info: _info, format: _format, ...node }: FlowNode) => JSON.stringify(node)
    const found = flows.flatMap(({ name, flow }) =>
      flow.filter((node) => /\[msg\./.test(paths(node))).map(({ id }) => `${name}: ${id}`),
    )
    assert.deepEqual(found, [])
  })

  it('send mails only through a node that makes plain text of them', () => {
    const isPlain = ({ rules = [] }: FlowNode) =>
      (rules as { p: string; to: string }[]).some(({ p, to }) => p === 'payload' && /\$mail\(/.test(to))
    const sending = flows.flatMap(({ flow }) => {
      const mails = flow.filter(({ type }) => type === 'e-mail').map(({ id }) => id)
      // Users wire those of reports.
      return flow.filter((node) => node.name === 'as a mail' || nextOf(node).some((id) => mails.includes(id)))
    })
    assert.equal(sending.length, 5)
    assert.deepEqual(
      sending.filter((node) => !isPlain(node)).map(({ id }) => id),
      [],
    )
  })

  it('put names into one line of a chat or a mail', () => {
    const sending = flows.filter(({ flow }) =>
      flow.some(({ type, name }) => type === 'e-mail' || name === 'chat format'),
    )
    assert.equal(sending.length, 6)
    const unsafe = sending.flatMap(({ flow }) =>
      flow
        .filter(({ type }) => type === 'change' || type === 'template')
        .filter((node) =>
          codeOf(node).some((code) => /\bname\b/.test(withoutTexts(code)) && !/\$line\(/.test(code)),
        )
        .map(({ id }) => id),
    )
    assert.deepEqual(unsafe, [])
  })

  it('write cells of a CSV file that are no formulas', () => {
    const files = flows.filter(({ flow }) =>
      flow.some(({ type, func }) => type === 'csv' || /csv|spreadsheet/i.test(String(func))),
    )
    assert.equal(files.length, 6)
    for (const { name, flow } of files)
      assert.ok(
        flow.some((node) => codeOf(node).some((code) => /\bcell\(/.test(withoutTexts(code)))),
        name,
      )
  })

  it('name files by a serial number only if it cannot lead to another folder', () => {
    const expressions = flows.flatMap(({ flow }) =>
      flow.flatMap(({ rules = [] }) => rules as { p: string; to: string }[]),
    )
    const naming = expressions.filter(
      ({ p, to }) =>
        (p === 'filename' || /filename=/.test(String(to))) &&
        /serial|name\b/.test(to.replaceAll('filename', '')),
    )
    assert.equal(naming.length, 2)
    for (const { to } of naming) assert.match(withoutTexts(to), /\$fileName\(/)
  })

  it('take no command of a dashboard user for a node of envlog', () => {
    for (const { flow } of flows) {
      const users = flow.filter(({ type }) => type.startsWith('ui-')).flatMap(nextOf)
      const reached = [...reachedFrom(users, flow)].map(({ type }) => type)
      assert.deepEqual(
        reached.filter((type) => type.startsWith('envlog-')),
        [],
      )
    }
  })

  it('have labels that differ in what a narrow tab shows', () => {
    const shown = flows.flatMap(({ flow }) =>
      flow.filter(({ type }) => type === 'tab').map(({ label }) => String(label).slice(0, 12)),
    )
    assert.deepEqual(
      shown.filter((label, at) => shown.indexOf(label) !== at),
      [],
    )
  })
})
