import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { read } from '../../support/documents'
import { root } from '../../support/package'

const src = join(root, 'src')

/** The room of a file in the picture; `undefined` for files that it leaves out. */
function roomOf(path: string): string | undefined {
  const [top, folder] = path.slice(src.length + 1).split('/')
  if (top === 'lib') return folder?.includes('.') ? undefined : folder?.replace('-', '_')
  if (top !== 'nodes' || !folder || folder.includes('.')) return undefined
  if (['current', 'latest', 'range', 'alerts'].includes(folder)) return 'actions'
  return { report: 'report_node', limits: 'alarms' }[folder] ?? folder
}

/** The imports from one room of the picture to another. */
function importedRooms(): Set<string> {
  const arrows = new Set<string>()
  for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('/editor.ts')) continue
    const file = join(src, name)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const [from, to] = [roomOf(file), roomOf(`${resolve(dirname(file), path)}.ts`)]
      if (from && to && from !== to) arrows.add(`${from} ${to}`)
    }
  }
  return arrows
}

/** The arrows `a & b --> c & d` of the picture. */
function drawnArrows(): Set<string> {
  const [picture = ''] = /```mermaid[^`]*```/.exec(read('src/README.md')) ?? []
  const lines = picture.split('\n').filter((line) => line.includes('-->'))
  return new Set(
    lines.flatMap((line) => {
      const [from = [], to = []] = line.split('-->').map((side) => side.split('&').map((one) => one.trim()))
      return from.flatMap((one) => to.map((other) => `${one} ${other}`))
    }),
  )
}

/** The rooms that arrows lead to from a room, directly or through others. */
function reachable(arrows: ReadonlySet<string>, room: string, found = new Set<string>()): Set<string> {
  for (const arrow of arrows) {
    const [from, to = ''] = arrow.split(' ')
    if (from !== room || found.has(to)) continue
    reachable(arrows, to, found.add(to))
  }
  return found
}

describe('the picture of the house', () => {
  const [drawn, imported] = [drawnArrows(), importedRooms()]

  it('has no arrow without an import, and none that leads back', () => {
    assert.ok(drawn.size > 20)
    assert.deepEqual(
      [...drawn].filter((arrow) => !imported.has(arrow)),
      [],
    )
    assert.deepEqual(
      [...drawn].filter((arrow) => {
        const [from = '', to = ''] = arrow.split(' ')
        return reachable(drawn, to).has(from)
      }),
      [],
    )
  })

  it('shows every import, directly or through other rooms', () => {
    const hidden = [...imported].filter((arrow) => {
      const [from = '', to = ''] = arrow.split(' ')
      return !reachable(drawn, from).has(to)
    })
    assert.deepEqual(hidden, [])
  })
})
