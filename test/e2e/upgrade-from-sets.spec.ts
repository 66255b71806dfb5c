import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACTION_TYPES } from '../../src/shared/action'
import { startNodeRed } from '../support/node-red'
import { installInto, packageJson } from '../support/package'
import { temporaryFolder } from '../support/run'
import { runtimes } from '../support/runtimes'

const types = ['envlog-account', ...ACTION_TYPES]

for (const runtime of runtimes.slice(0, 2)) {
  describe(`a user directory of the five sets in ${runtime.title}`, function () {
    this.timeout(280_000)

    it('has all nodes enabled after the upgrade, and nothing left of the sets', async () => {
      const { node } = await runtime.locate()
      const userDir = temporaryFolder('user-dir')
      await installInto(userDir, node)
      const { name, version } = packageJson
      const sets = types.map((type) => [
        type,
        {
          ...{
            name: type,
            types: [type],
            enabled: type !== 'envlog-range',
            local: false,
            user: false,
            module: name,
          },
          file: join(userDir, 'node_modules', name, `dist/nodes/${type.slice(7)}/${type.slice(7)}.js`),
        },
      ])
      const list = {
        'node-red': { name: 'node-red', version: '4.1.0', local: false, user: false, nodes: {} },
        [name]: { name, version: '0.0.9', local: true, user: false, nodes: Object.fromEntries(sets) },
      }
      writeFileSync(join(userDir, '.config.nodes.json'), JSON.stringify(list, null, 4))
      writeFileSync(join(userDir, '.config.runtime.json'), JSON.stringify({ instanceId: 'abcdef0123456789' }))
      const nodeRed = await startNodeRed(runtime, { userDir })
      try {
        const found = (await nodeRed.json<Record<string, unknown>[]>('/nodes')).filter(
          ({ module }) => module === name,
        )
        assert.deepEqual(
          found.map((set) => [set.id, set.enabled, set.err, (set.types as string[]).toSorted()]),
          [[`${name}/envlog`, true, undefined, types.toSorted()]],
        )
        const saved = JSON.parse(readFileSync(join(userDir, '.config.nodes.json'), 'utf8'))
        assert.deepEqual(Object.keys(saved[name].nodes), ['envlog'])
        assert.equal(saved[name].version, version)
        assert.doesNotMatch(nodeRed.log(), /\[(?:warn|error)\].*envlog/i)
      } finally {
        await nodeRed.stop()
      }
    })
  })
}
