/**
 * Builds the package. `dist/envlog.js` contains everything that runs outside the editor. Next to it, where Node-RED
 * looks for them, are the HTML of all nodes (editor script and forms), their icons, catalogs and help. The documents
 * become HTML pages in `resources/`. Also builds the simulator's command, and the types of messages. With `--debug`,
 * the code is not minified, and contains source maps.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { ACTION_TYPES, nameOfType } from '../src/shared/action'
import { writeRows } from './form-rows'
import { writeMessageTypes } from './message-types'
import { writePages } from './pages'
import { createAlarmsSamples, createSamples } from './samples'
import { schemas } from './schemas'
import { writeProperties } from './settings'

const root = dirname(__dirname)
const debug = process.argv.includes('--debug')
const languages = readdirSync(join(root, 'locales'))
const CONFIG_NODES = ['account', 'limits'] as const
/** In the order of the palette. */
const nodeNames = [...CONFIG_NODES, ...ACTION_TYPES.map(nameOfType), 'alarms', 'report'] as const
type NodeName = (typeof nodeNames)[number]
const isConfig = (name: NodeName) => CONFIG_NODES.some((each) => each === name)

/**
 * Bundles all modules in one file, because loading them separately takes longer and needs 5 MB more memory in each
 * Node-RED instance. Modules that `src` loads with `require` in a function are still evaluated only when it is called.
 */
async function buildServer(): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const lazyModules = {
    check: './check/cli',
    // Tests measure the heap of the built code.
    registry: './nodes/kit/state/process-registry',
  }
  const lazyExports = Object.entries(lazyModules).map(
    ([name, path]) => `module.exports.${name} = () => require('${path}')`,
  )
  await build({
    stdin: {
      contents: ["module.exports = require('./nodes/envlog')", ...lazyExports].join('\n'),
      resolveDir: join(root, 'src'),
    },
    bundle: true,
    outfile: join(root, 'dist/envlog.js'),
    platform: 'node',
    target: 'node20.18',
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    legalComments: 'none',
    ...(debug
      ? { sourcemap: 'inline' }
      : // Names stay, and lines have at most 300 characters, for those who read a stack trace.
        { minifySyntax: true, minifyWhitespace: true, lineLimit: 300 }),
  })
  // Longer lines would no longer fit the source map.
  if (!debug) escapeNonAscii(join(root, 'dist/envlog.js'))
  mkdirSync(join(root, 'dist/check'), { recursive: true })
  writeFileSync(join(root, 'dist/check/cli.js'), "#!/usr/bin/env node\nrequire('../envlog').check().main()\n")
}

/** A tool for trials, whose code nobody reads where it is installed. */
const buildSimulator = () =>
  build({
    entryPoints: [join(root, 'simulator/cli.ts')],
    bundle: true,
    minify: true,
    outfile: join(root, 'dist/simulator/cli.js'),
    platform: 'node',
    target: 'node20.18',
  })

/**
 * Escapes the non-ASCII characters that esbuild leaves in regular expressions. A single one makes V8 use twice the
 * memory for the text of the file.
 */
function escapeNonAscii(file: string): void {
  const toEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^ -~\s]|[\u00a0\u2028\u2029\ufeff]/g, toEscape))
}

const CONFIG_PARTS = ['credentials', 'label', 'oneditprepare', 'oneditsave'] as const
const PALETTE_PARTS = [
  'paletteLabel',
  'label',
  'labelStyle',
  'inputLabels',
  'outputLabels',
  'onpaletteadd',
  'oneditprepare',
  'oneditsave',
] as const

/**
 * The code that registers a node in the editor. The flow library finds type, icon and property names in the
 * script without running it, so the code contains them as literals.
 */
function registrationCode(name: NodeName): string {
  const type = `envlog-${name}` as const
  const defaults = Object.keys(schemas[type].shape).map((key) => `${key}: ${name}.defaults.${key}`)
  const position = `
      category: 'envlog',
      color: '#A8D5C8',
      icon: '${name}.svg',
      inputs: 1,
      outputs: ${name === 'report' ? 2 : 1},`
  const parts = isConfig(name) ? CONFIG_PARTS : PALETTE_PARTS
  return `
    import ${name} from './${name}/editor'
    RED.nodes.registerType('${type}', {${isConfig(name) ? "category: 'config'," : position}
      defaults: {
        ${defaults.join(',\n')}
      },
      ${parts.map((part) => `${part}: ${name}.${part}`).join(', ')}
    })`
}

/** The script that registers all nodes. They appear in the palette in the order of registration. */
async function buildEditorScript(): Promise<string> {
  const ofActions = await Promise.all(ACTION_TYPES.map(createSamples))
  const samples = Object.assign({}, ...ofActions, ...languages.map(createAlarmsSamples))
  const result = await build({
    stdin: {
      contents: nodeNames.map(registrationCode).join('\n'),
      resolveDir: join(root, 'src/nodes'),
    },
    bundle: true,
    define: { ENVLOG_SAMPLES: JSON.stringify(JSON.stringify(samples)) },
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    minify: !debug,
    sourcemap: debug && 'inline',
    legalComments: 'none',
  })
  return result.outputFiles[0]?.text ?? ''
}

/** The HTML of a form with its included parts and rows. Throws if a part is missing. */
function readForm(name: NodeName): string {
  const html = readFileSync(join(root, 'src/nodes', name, 'form.html'), 'utf8')
  const form = html.replace(/<!-- include (\S+) -->/g, (_, part: string) =>
    readFileSync(join(root, 'src/editor/forms', part), 'utf8').trimEnd(),
  )
  return writeRows(form, { name, schema: schemas[`envlog-${name}`], isConfig: isConfig(name) })
}

async function buildEditor(): Promise<void> {
  const forms = nodeNames.map(
    (name) => `<script type="text/html" data-template-name="envlog-${name}">\n${readForm(name)}</script>`,
  )
  const style = `<style>\n${readFileSync(join(root, 'src/editor/editor.css'), 'utf8')}</style>`
  const script = `<script type="text/javascript">\n${await buildEditorScript()}</script>`
  writeFileSync(join(root, 'dist/envlog.html'), `${[style, script, ...forms].join('\n\n')}\n`)
  // Node-RED looks for them beside the nodes' code.
  cpSync(join(root, 'icons'), join(root, 'dist/icons'), { recursive: true })
}

/** Writes the catalogs and help of all nodes, and the catalogs of `envlog-check` and of the pages of reports. */
function buildTexts(): void {
  for (const language of languages) {
    const read = (file: string) => readFileSync(join(root, 'locales', language, file), 'utf8')
    const target = join(root, 'dist/locales', language)
    mkdirSync(target, { recursive: true })
    const parts = ['common', ...nodeNames].map((name) => JSON.parse(read(`${name}.json`)))
    const catalog = Object.assign({}, ...parts)
    writeFileSync(join(target, 'envlog.json'), `${JSON.stringify(catalog)}\n`)
    const help = nodeNames.map((name) => writeProperties(read(`${name}.html`), readForm(name), catalog))
    writeFileSync(join(target, 'envlog.html'), help.join('\n'))
    for (const file of ['check.json', 'page.json']) writeFileSync(join(target, file), read(file))
  }
}

for (const folder of ['dist', 'resources']) rmSync(join(root, folder), { recursive: true, force: true })
buildTexts()
Promise.all([buildServer(), buildEditor(), buildSimulator(), writePages(), writeMessageTypes()]).catch(
  (error) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  },
)
