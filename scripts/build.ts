/**
 * Builds the package from `src`, after TypeScript has written the declarations: `dist/envlog.js` with everything that
 * runs outside the editor; beside it, where Node-RED looks for them, the html of all nodes (editor script and forms),
 * their icons, catalogs and help; and the documents as html pages in `resources/`.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { ACTION_TYPES, nameOfType } from '../src/shared/action'
import { writePages } from './pages'
import { samplesOf } from './samples'

const root = dirname(__dirname)
const languages = readdirSync(join(root, 'locales'))
const nodeNames = ['account', ...ACTION_TYPES.map(nameOfType)]

/**
 * One file instead of 130: loading them one by one takes 5 MB in each Node-RED, and longer. What `src` loads late,
 * with `require` in a function, is evaluated late in it as well.
 */
async function buildServer(): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const others = {
    lib: './lib',
    check: './check/cli',
    // Tests measure the heap of what was built.
    registry: './nodes/kit/state/registry',
  }
  const late = Object.entries(others).map(
    ([name, path]) => `module.exports.${name} = () => require('${path}')`,
  )
  await build({
    stdin: {
      contents: ["module.exports = require('./nodes/envlog')", ...late].join('\n'),
      resolveDir: join(root, 'src'),
    },
    bundle: true,
    outfile: join(root, 'dist/envlog.js'),
    platform: 'node',
    target: 'node20.18',
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    legalComments: 'none',
  })
  escapeNonAscii(join(root, 'dist/envlog.js'))
  const write = (file: string, code: string) => {
    mkdirSync(dirname(join(root, 'dist', file)), { recursive: true })
    writeFileSync(join(root, 'dist', file), `${code}\n`)
  }
  // Named one by one, so that ES modules can import them by name.
  const names = Object.keys(require(join(root, 'dist/envlog.js')).lib())
  const named = names.map((name) => `exports.${name} = lib.${name}`)
  write('lib/index.js', ["const lib = require('../envlog').lib()", ...named].join('\n'))
  write('check/cli.js', "#!/usr/bin/env node\nrequire('../envlog').check()")
}

/** esbuild leaves them in regular expressions. V8 keeps the text of a file with a single one in twice the memory. */
function escapeNonAscii(file: string): void {
  const toEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^ -~\s]|[\u00a0\u2028\u2029\ufeff]/g, toEscape))
}

async function editorScript(): Promise<string> {
  const samples = Object.assign({}, ...ACTION_TYPES.map(samplesOf))
  const result = await build({
    entryPoints: [join(root, 'src/nodes/editor.ts')],
    bundle: true,
    define: { ENVLOG_SAMPLES: JSON.stringify(JSON.stringify(samples)) },
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
  })
  return result.outputFiles[0]?.text ?? ''
}

/** A form with its included parts; the build fails if one is missing. */
function formOf(name: string): string {
  const html = readFileSync(join(root, 'src/nodes', name, 'form.html'), 'utf8')
  return html.replace(/<!-- include (\S+) -->/g, (_, part: string) =>
    readFileSync(join(root, 'src/editor/forms', part), 'utf8').trimEnd(),
  )
}

async function buildEditor(): Promise<void> {
  const forms = nodeNames.map(
    (name) => `<script type="text/html" data-template-name="envlog-${name}">\n${formOf(name)}</script>`,
  )
  const style = `<style>\n${readFileSync(join(root, 'src/editor/editor.css'), 'utf8')}</style>`
  const script = `<script type="text/javascript">\n${await editorScript()}</script>`
  writeFileSync(join(root, 'dist/envlog.html'), `${[style, script, ...forms].join('\n\n')}\n`)
  cpSync(join(root, 'icons'), join(root, 'dist/icons'), { recursive: true })
}

/** Catalogs and help of all nodes, and the catalog of `envlog-check`. */
function buildTexts(): void {
  for (const language of languages) {
    const read = (file: string) => readFileSync(join(root, 'locales', language, file), 'utf8')
    const target = join(root, 'dist/locales', language)
    mkdirSync(target, { recursive: true })
    const parts = ['common', ...nodeNames].map((name) => JSON.parse(read(`${name}.json`)))
    writeFileSync(join(target, 'envlog.json'), `${JSON.stringify(Object.assign({}, ...parts), null, 2)}\n`)
    writeFileSync(join(target, 'envlog.html'), nodeNames.map((name) => read(`${name}.html`)).join('\n'))
    writeFileSync(join(target, 'check.json'), read('check.json'))
  }
}

/** Deletes the declarations that the public API does not refer to: nobody can import them. */
function pruneDeclarations(): void {
  const used = new Set<string>()
  const follow = (file: string) => {
    if (used.has(file)) return
    used.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)
    for (const [, path = ''] of imports) follow(join(dirname(file), `${path}.d.ts`))
  }
  const dist = join(root, 'dist')
  follow(join(dist, 'lib', 'index.d.ts'))
  for (const file of readdirSync(dist, { recursive: true }).map(String)) {
    const path = join(dist, file)
    if (file.endsWith('.d.ts') && !used.has(path)) rmSync(path)
  }
}

buildTexts()
pruneDeclarations()
Promise.all([buildServer(), buildEditor(), writePages()]).catch((error) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
