import assert from 'node:assert/strict'
import { defaultsOf, nodes } from '../../support/built'
import type { AccountForm } from '../../support/editor/account-form'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow, editorLimits } from '../../support/editor/flow'
import type { FlowNode } from '../../support/node-red'
import { otherRuntime } from '../../support/runtimes'

declare const RED: { nodes: { node(id: string): { validationErrors?: string[] } } }

const variable = (name: string) => `\${${name}}`

/** Lists, whose elements may be variables. */
const LISTS: Record<string, unknown> = {
  devices: [{ serial: variable('SERIAL'), base: variable('BASE') }],
  bases: [variable('BASE')],
  groups: [variable('GROUP')],
  exclude: [variable('SERIAL')],
  limits: [
    {
      name: variable('NAME'),
      select: variable('SELECT'),
      devices: [{ serial: variable('SERIAL') }],
      bases: [variable('BASE')],
      groups: [variable('GROUP')],
      quantity: variable('QUANTITY'),
      channel: null,
      above: variable('ABOVE'),
      below: variable('BELOW'),
      unit: variable('UNIT'),
      minutes: variable('MINUTES'),
      margin: variable('MARGIN'),
    },
    {
      name: 'by channel',
      select: 'all',
      devices: [],
      bases: [],
      groups: [],
      quantity: null,
      channel: variable('CHANNEL'),
      above: 8,
      below: null,
      unit: 'C',
      minutes: 0,
      margin: 0,
    },
  ],
}

/** The properties that no field shows as they are. */
const FIXED = ['version', 'propertyType', 'fromType', 'toType', 'limitsType']

/** Only the limits of envlog-limits are rows. */
const isText = (type: string, name: string) => name === 'limits' && type !== 'envlog-limits'

/** A node each of whose settings is an environment variable, or a list of them. */
function nodeOf(type: string): FlowNode {
  const properties = Object.entries(defaultsOf(type)).map(([name, value]) => [
    name,
    FIXED.includes(name)
      ? value
      : (!isText(type, name) && LISTS[name]) || variable(`A_${name.toUpperCase()}`),
  ])
  return { id: `of-${type}`, type, z: 'template', x: 0, y: 0, wires: [[]], ...Object.fromEntries(properties) }
}

function open(editor: Editor, type: string, id: string): Promise<AccountForm | ActionForm> {
  if (type === 'envlog-account') return editor.editAccount(id)
  return type === 'envlog-limits' ? editor.editLimits(id) : editor.edit(id)
}

describe('environment variables in the forms', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(otherRuntime)
  let editor: Editor

  before('deploys a subflow with one of each node', async () => {
    const env = [
      { name: 'A_ACCOUNT', type: 'envlog-account', value: 'account', ui: { type: 'conf-types' } },
      { name: 'A_LIMITS', type: 'envlog-limits', value: 'limits', ui: { type: 'conf-types' } },
    ]
    const template = { id: 'template', type: 'subflow', name: 'template', in: [], out: [], env }
    const output = { ...nodeOf('envlog-latest'), ...defaultsOf('envlog-latest'), account: 'account' }
    const unknown = { ...output, id: 'output', output: variable('OUTPUT'), send: 'each' }
    const flow = [
      ...editorFlow(harness.simulator),
      editorLimits([]),
      template,
      unknown,
      ...nodes.map(({ type }) => nodeOf(type)),
    ]
    await harness.nodeRed.deploy(flow as FlowNode[])
  })

  beforeEach('opens the editor', async () => {
    editor = await harness.editor()
  })

  for (const { type } of nodes) {
    it(`are still the same after Done: ${type}`, async () => {
      const id = `of-${type}`
      const errors = await editor.page.evaluate((node) => RED.nodes.node(node).validationErrors, id)
      assert.deepEqual(errors ?? [], [])
      const settings = async () => {
        const properties = await editor.properties(id)
        return Object.fromEntries(Object.keys(defaultsOf(type)).map((name) => [name, properties[name]]))
      }
      const saved = await settings()
      const form = await open(editor, type, id)
      const lines = form.body.locator('.envlog-limit-line')
      for (const line of await lines.all()) await line.click()
      // Shown with its devices and texts.
      for (const field of await form.body.locator('.envlog-limit-fields .envlog-duration input').all()) {
        await field.press('End')
        await field.press('Space')
      }
      await form.done()
      assert.deepEqual(await settings(), saved)
    })
  }

  it('leave the other settings as they are, which are shown', async () => {
    const form = await editor.edit('output')
    assert.equal(await form.field('send').inputValue(), 'each')
    await form.field('output').selectOption('rows')
    assert.equal(await form.field('send').inputValue(), 'each')
    await form.field('output').selectOption('values')
    await form.done()
    assert.equal((await editor.properties('output')).send, 'value')
  })

  it('give way to a choice', async () => {
    const form = await editor.edit('of-envlog-latest')
    await form.field('onlyNew').click()
    await form.field('output').selectOption('rows')
    await form.field('send').selectOption('each')
    await form.duration('repeat').fill('６０')
    await form.done()
    const { onlyNew, output, send, repeat, time } = await editor.properties('of-envlog-latest')
    assert.deepEqual([onlyNew, output, send, repeat, time], [false, 'rows', 'each', '60', variable('A_TIME')])
  })
})
