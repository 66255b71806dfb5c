import assert from 'node:assert/strict'
import { join } from 'node:path'
import { languages, nodes } from '../../support/built'
import { coldRequire } from '../../support/cold-require'
import { execute, installed, type Packed, pack, packageJson, weightOf } from '../../support/package'

const INSTALL_MS = 120_000

/** Upper limits in kB of 1000 bytes, about 1.5 times the size when they were set. */
const MAX_KB = { tarball: 600, unpacked: 2600, install: 5500 }

/** All files except the pages and examples. No sources of the editor, because the html contains them. */
const FILES = [
  ...['package.json', 'LICENSE', 'README.md', 'README.ja.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...[
    'dist/simulator/cli.js',
    'dist/check/cli.js',
    'dist/envlog.js',
    'dist/envlog.html',
    'dist/messages.d.ts',
  ],
  ...nodes.map(({ name }) => `dist/icons/${name}.svg`),
  ...languages.flatMap((language) =>
    ['envlog.json', 'envlog.html', 'check.json', 'page.json'].map(
      (file) => `dist/locales/${language}/${file}`,
    ),
  ),
]
/** The pages and examples. */
const OTHERS =
  /^(?:resources\/docs\/(?:ja\/)?[\w-]+\.html|examples\/(?:[\w @-]+\/[\w -]+\.json|README(?:\.ja)?\.md))$/

const kB = (bytes: number) => Math.round(bytes / 1000)

describe('the published package', () => {
  let packed: Packed
  let folder: string

  before('packs it and installs the tarball', async function () {
    this.timeout(INSTALL_MS)
    packed = await pack()
    folder = await installed()
  })

  it('contains the simulator, all parts of the nodes, documents and examples, and nothing else', () => {
    const others = packed.files.filter((file) => OTHERS.test(file))
    for (const folder of ['examples/', 'resources/'])
      assert.ok(
        others.some((file) => file.startsWith(folder)),
        folder,
      )
    assert.deepEqual(packed.files.toSorted(), [...FILES, ...others].toSorted())
  })

  it('is no larger than its limits', async () => {
    const installedBytes = await weightOf(join(folder, 'node_modules'))
    const weights = { tarball: packed.size, unpacked: packed.unpackedSize, install: installedBytes }
    for (const [what, bytes] of Object.entries(weights)) {
      const most = MAX_KB[what as keyof typeof MAX_KB]
      console.log(`      ${what}: ${kB(bytes)} kB of at most ${most} kB`)
      assert.ok(kB(bytes) <= most, `${what}: ${kB(bytes)} kB`)
    }
  })

  it('loads in plain Node.js, and loads no dependencies until a node is created', async () => {
    const { kinds, loaded } = await coldRequire(folder)
    assert.deepEqual(kinds, ['function'])
    const place = join('node_modules', packageJson.name)
    assert.ok(loaded.some((file) => file.includes(place)))
    assert.deepEqual(
      loaded.filter((file) => !file.includes(place)),
      [],
    )
  })

  it('has a command that prints its usage', async () => {
    const command = join(folder, 'node_modules', '.bin', 'envlog-simulator')
    const { stdout, stderr } = await execute(command, ['--help'], { cwd: folder })
    assert.match(stdout, /^Usage: envlog-simulator /)
    assert.equal(stderr, '')
  })
})
