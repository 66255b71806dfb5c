import assert from 'node:assert/strict'
import { EXAMPLE_LIMITS } from '../../../src/shared/example-limits'
import { coreDefinitions, type Definition, definitionOf, nodes } from '../../support/built'
import { exampleNames, functionModules, neededBy, readExample } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { testedVersionOf } from '../../support/palette'

const ours = new Map<string, Definition>()

const core = coreDefinitions()

/** Properties that Node-RED saves for every node, or for parts of a workspace. */
const ANY = [
  'id',
  'type',
  'z',
  'x',
  'y',
  'wires',
  'd',
  'g',
  'l',
  'icon',
  'info',
  'inputLabels',
  'outputLabels',
]
const WORKSPACE: Record<string, readonly string[]> = {
  tab: ['label', 'disabled', 'info', 'env', 'locked'],
  group: ['name', 'style', 'nodes', 'w', 'h', 'env', 'info'],
  junction: [],
}

function knownProperties({ type }: FlowNode): readonly string[] | undefined {
  const definition = ours.get(type) ?? core.get(type)
  if (definition) return [...ANY, ...Object.keys(definition.defaults)]
  return WORKSPACE[type] && [...ANY, ...WORKSPACE[type]]
}

describe('the examples', () => {
  before('reads the definitions of our nodes', () => {
    for (const { type } of nodes) ours.set(type, definitionOf(type))
  })

  const flows = exampleNames.map((name) => ({ name, flow: readExample(name) }))

  it('exist for each node, in files that the import dialog lists', () => {
    assert.deepEqual(
      exampleNames.filter((name) => !/^[\w @-]+\/[\w -]+$/.test(name)),
      [],
    )
    const shown = new Set(flows.flatMap(({ flow }) => flow.map(({ type }) => type)))
    assert.deepEqual(
      [...ours.keys()].filter((type) => type !== 'envlog-account' && !shown.has(type)),
      [],
    )
  })

  it('can all be imported into one Node-RED, without a node that exists already', () => {
    const seen = new Set<string>()
    for (const { name, flow } of flows) {
      for (const { id } of flow) {
        assert.ok(!seen.has(id), `${name}: ${id}`)
        seen.add(id)
      }
    }
  })

  it('have the same limits, because an import uses those of the plant in their place', () => {
    for (const { name, flow } of flows)
      for (const { limits } of flow.filter(({ type }) => type === 'envlog-limits'))
        assert.deepEqual(limits, EXAMPLE_LIMITS, name)
  })

  for (const { name: title, flow } of flows) {
    describe(title, () => {
      it('explains itself in both languages: what it does, what to set up, how much quota it uses', () => {
        const about = flow.filter(({ type }) => type === 'comment').map(({ info }) => String(info))
        for (const parts of [
          ['**Set up.**', '**Quota.**'],
          ['**設定**：', '**リクエスト枠**：'],
        ]) {
          assert.ok(
            about.some((info) => parts.every((part) => info.includes(part))),
            parts.join(),
          )
        }
        // Every node named in a comment exists.
        const named = new Set(flow.flatMap(({ name, type }) => [String(name), type]))
        const mentioned = about.flatMap((info) => [...info.matchAll(/ノードは? \*([^*]+)\*|in \*([^*]+)\*/g)])
        for (const [text, ja, en] of mentioned) assert.ok(named.has(ja ?? en ?? ''), text)
      })

      it('names the package of its folder to the editor, which offers to install it', () => {
        const listed = flow.filter(({ type }) => type === 'global-config')
        // Node-RED installs those of function nodes itself, at the deploy.
        const needed = [neededBy(title) ?? []].flat().filter((name) => !functionModules(flow).includes(name))
        assert.deepEqual(
          listed.map(({ env, modules }) => ({ env, modules })),
          needed.map((name) => ({ env: [], modules: { [name]: testedVersionOf(name) } })),
        )
      })

      it('works without code, except industrial protocols, and InfluxDB, whose pages have 16,000 records', () => {
        const mayHaveCode = /^(?:Factory|InfluxDB)/.test(title)
        const code = ['exec', 'unknown', ...(mayHaveCode ? [] : ['function'])]
        assert.ok(flow.every(({ type }) => !code.includes(type)))
      })

      it('saves only properties that the nodes have, and all of ours', () => {
        for (const node of flow) {
          const known = knownProperties(node)
          if (!known) continue
          assert.deepEqual(
            Object.keys(node).filter((name) => !known.includes(name)),
            [],
            `${node.type} ${node.id}`,
          )
          const definition = ours.get(node.type)
          if (!definition) continue
          assert.deepEqual(
            Object.keys(definition.defaults).filter((name) => !(name in node)),
            [],
            node.type,
          )
        }
      })

      it('is connected: wires, tabs and config nodes are in the file', () => {
        const ids = new Set(flow.map(({ id }) => id))
        for (const node of flow) {
          const { z = '', wires = [] } = node as { z?: string; wires?: string[][] }
          const definition = ours.get(node.type) ?? core.get(node.type)
          const references = Object.entries(definition?.defaults ?? {})
            .filter(([, { type }]) => type !== undefined)
            .flatMap(([name]) => node[name])
          const wanted = [z, ...wires.flat(), ...references].filter(
            (id) => id !== '' && (id ?? null) !== null,
          )
          assert.deepEqual(
            wanted.filter((id) => !ids.has(String(id))),
            [],
            `${node.type} ${node.id}`,
          )
        }
      })

      it("leaves the account to the user's own, and handles errors", () => {
        const own = flow.filter(({ type, account = '' }) => type === 'envlog-account' || account !== '')
        assert.deepEqual(
          own.map(({ id }) => id),
          [],
        )
        assert.ok(flow.some(({ type }) => type === 'catch'))
      })

      it('contains no login, and only addresses of this machine', () => {
        const text = JSON.stringify(flow)
        assert.doesNotMatch(text, /"(?:credentials|apiKey|loginId|loginPass|password)":(?!"")/)
        const addresses = [...text.matchAll(/\b(?:https?|mqtts?):\/\/([^/":]+)/g)].map(([, host]) => host)
        assert.deepEqual(
          addresses.filter((host) => !/^(?:localhost|127\.0\.0\.1)$/.test(host ?? '')),
          [],
        )
      })
    })
  }
})
