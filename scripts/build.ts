/**
 * Builds the package from `src`, after TypeScript has written the declarations: `dist/envlog.js` with everything that
 * runs outside the editor; for each node its html (editor script and form), icon, catalogs and help in
 * `dist/nodes/<node>/`, where Node-RED loads them; and the documents as html pages in `resources/`.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { writePages } from './pages'
import { isAction, samplesOf } from './samples'

const root = dirname(__dirname)
const languages = readdirSync(join(root, 'locales'))

export const nodeNames = readdirSync(join(root, 'src/nodes')).filter((name) =>
  existsSync(join(root, 'src/nodes', name, 'editor.ts')),
)

/**
 * One file instead of 130: loading them one by one takes 5 MB in each Node-RED, and longer. What `src` loads late,
 * with `require` in a function, is evaluated late in it as well.
 */
async function buildServer(): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const nodes = nodeNames.map((name) => `exports['${name}'] = require('./nodes/${name}/${name}')`)
  const others = {
    lib: './lib',
    check: './check/cli',
    // Tests measure the heap of what was built.
    registry: './nodes/kit/state/registry',
  }
  const late = Object.entries(others).map(([name, path]) => `exports.${name} = () => require('${path}')`)
  await build({
    stdin: { contents: [...nodes, ...late].join('\n'), resolveDir: join(root, 'src') },
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
  for (const name of nodeNames)
    write(`nodes/${name}/${name}.js`, `module.exports = require('../../envlog')['${name}']`)
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

async function editorScript(name: string): Promise<string> {
  const type = `envlog-${name}`
  const samples = isAction(type) ? samplesOf(type) : {}
  const result = await build({
    entryPoints: [join(root, 'src/nodes', name, 'editor.ts')],
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
function form(name: string): string {
  const html = readFileSync(join(root, 'src/nodes', name, 'form.html'), 'utf8')
  return html.replace(/<!-- include (\S+) -->/g, (_, part: string) =>
    readFileSync(join(root, 'src/editor/forms', part), 'utf8').trimEnd(),
  )
}

/** The shared catalog merged with that of the node. */
function catalog(language: string, name: string): object {
  const read = (file: string) => JSON.parse(readFileSync(join(root, 'locales', language, file), 'utf8'))
  return { ...read('common.json'), ...read(`${name}.json`) }
}

async function buildNode(name: string): Promise<void> {
  const folder = join(root, 'dist/nodes', name)
  mkdirSync(join(folder, 'icons'), { recursive: true })
  // All forms use this style; it is only in the account's html, which is always loaded.
  const style = readFileSync(join(root, 'src/editor/editor.css'), 'utf8')
  const html = [
    ...(name === 'account' ? [`<style>\n${style}</style>`] : []),
    `<script type="text/javascript">\n${await editorScript(name)}</script>`,
    `<script type="text/html" data-template-name="envlog-${name}">\n${form(name)}</script>`,
  ]
  writeFileSync(join(folder, `${name}.html`), `${html.join('\n\n')}\n`)
  const icon = join(root, 'icons', `${name}.svg`)
  if (existsSync(icon)) cpSync(icon, join(folder, 'icons', `${name}.svg`))
  for (const language of languages) {
    const target = join(folder, 'locales', language)
    mkdirSync(target, { recursive: true })
    writeFileSync(join(target, `${name}.json`), `${JSON.stringify(catalog(language, name), null, 2)}\n`)
    cpSync(join(root, 'locales', language, `${name}.html`), join(target, `${name}.html`))
  }
}

/** The texts of `envlog-check`: its own, and what it shares with the nodes. */
function buildCheckTexts(): void {
  const target = join(root, 'dist/check/locales')
  mkdirSync(target, { recursive: true })
  for (const language of languages) {
    const read = (file: string) => JSON.parse(readFileSync(join(root, 'locales', language, file), 'utf8'))
    const { errors, serves, problems } = read('common.json')
    const texts = { errors, serves, problems, ...read('check.json') }
    writeFileSync(join(target, `${language}.json`), `${JSON.stringify(texts, null, 2)}\n`)
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

buildCheckTexts()
pruneDeclarations()
Promise.all([buildServer(), writePages(), ...nodeNames.map(buildNode)]).catch((error) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
