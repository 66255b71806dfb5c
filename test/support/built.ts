/** The build's output in `dist/`, read as Node-RED's editor does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { nameOfType } from '../../src/shared/action'
import { packageJson, root } from './package'

export interface Definition {
  category: string
  icon?: string
  inputs?: number
  outputs?: number
  defaults: Record<string, { value: unknown; type?: string; required?: boolean; validate?: unknown }>
  credentials?: Record<string, { type: string }>
}

export interface BuiltNode {
  type: string
  /** `account`, `current`, … */
  name: string
  form: string
}

export const languages = readdirSync(join(root, 'locales'))

/** The folder of the nodes' file, with everything that Node-RED looks for next to it. */
const folder = join(root, dirname(packageJson['node-red'].nodes.envlog))

const htmlFile = join(folder, 'envlog.html')
/** If there is no build, the tests report it. */
export const html = existsSync(htmlFile) ? readFileSync(htmlFile, 'utf8') : ''
/** The only inline script in the html. */
export const script = scriptsOf(html).find(({ kind }) => kind === 'text/javascript')?.body ?? ''

export const nodes: readonly BuiltNode[] = scriptsOf(html).flatMap(({ attributes, body }) => {
  const type = /data-template-name="([^"]*)"/.exec(attributes)?.[1]
  return type === undefined ? [] : [{ type, name: nameOfType(type as `envlog-${string}`), form: body }]
})

export const iconOf = ({ name }: BuiltNode): string => join(folder, 'icons', `${name}.svg`)

interface HtmlScript {
  attributes: string
  kind: string
  body: string
}

export function scriptsOf(html: string): HtmlScript[] {
  return [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)].map(
    ([, attributes = '', body = '']) => ({
      attributes,
      kind: /type="([^"]*)"/.exec(attributes)?.[1] ?? '',
      body,
    }),
  )
}

/** A proxy object that can be called, constructed and has any property: replaces the editor's globals for a script. */
function anything(): unknown {
  const answer: unknown = new Proxy(() => {}, {
    get: (_target, key) => (key === Symbol.toPrimitive ? () => '' : answer),
    apply: () => answer,
    construct: () => answer as object,
  })
  return answer
}

/** The definitions that the scripts register, by type. */
export function definitionsIn(scripts: readonly string[]): Map<string, Definition> {
  const found = new Map<string, Definition>()
  const registerType = (type: string, definition: Definition) => found.set(type, definition)
  const fake = anything() as object
  const nodesApi = new Proxy(fake, { get: (_, key) => (key === 'registerType' ? registerType : fake) })
  const RED = new Proxy(fake, { get: (_, key) => (key === 'nodes' ? nodesApi : fake) })
  const context = createContext({ RED, $: fake, jQuery: fake, window: fake, document: fake, URL, console })
  for (const script of scripts) runInContext(script, context)
  return found
}

/** Core nodes' definitions, from the html of Node-RED's editor. */
export function coreDefinitions(): Map<string, Definition> {
  const nodeRed = createRequire(createRequire(__filename).resolve('node-red'))
  const core = join(dirname(nodeRed.resolve('@node-red/nodes/package.json')), 'core')
  const pages = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  )
  const scripts = pages.flatMap((page) => scriptsOf(readFileSync(join(core, page), 'utf8')))
  return definitionsIn(scripts.filter(({ kind }) => kind === 'text/javascript').map(({ body }) => body))
}

/** @throws if the script fails or does not register the type */
export function definitionOf(type: string): Definition {
  const found = definitionsIn([script]).get(type)
  if (!found) throw new Error(`nothing registers ${type}`)
  return found
}

/** The default properties of a new node; a new object each time. */
export function defaultsOf(type: string): Record<string, unknown> {
  const entries = Object.entries(definitionOf(type).defaults).map(([name, { value }]) => [name, value])
  return structuredClone(Object.fromEntries(entries))
}

/** Texts by dotted key. */
export type Catalog = Map<string, string>

export const catalogIn = (file: string): Catalog => textsOf(JSON.parse(readFileSync(file, 'utf8')))

export function textsOf(catalog: object): Catalog {
  const texts: Catalog = new Map()
  const walk = (found: object, path: string) => {
    for (const [key, value] of Object.entries(found)) {
      if (typeof value === 'object' && value !== null) walk(value, `${path}${key}.`)
      else texts.set(`${path}${key}`, value)
    }
  }
  walk(catalog, '')
  return texts
}

/** The nodes' catalog as shipped in the package. */
export const catalogOf = (language: string): Catalog =>
  catalogIn(join(folder, 'locales', language, 'envlog.json'))

/** Like Node-RED: a text with a count has plural forms, and a key that the catalog does not have is returned. */
export function translatorOf(language: string) {
  const texts = catalogOf(language)
  return (key: string, params: Record<string, unknown> = {}): string =>
    (texts.get(key) ?? texts.get(`${key}_${params.count === 1 ? 'one' : 'other'}`) ?? key).replace(
      /__(\w+?)__/g,
      (_, name: string) => `${params[name]}`,
    )
}

/** A node's part of the help, including its `script` element. */
export function helpOf({ type }: BuiltNode, language: string): string {
  const all = readFileSync(join(folder, 'locales', language, 'envlog.html'), 'utf8')
  const start = `<script type="text/html" data-help-name="${type}">`
  const at = all.indexOf(start)
  return at < 0 ? '' : `${all.slice(at, all.indexOf('</script>', at))}</script>`
}
