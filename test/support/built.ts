/** What the build has put into `dist/`, read as Node-RED's editor reads it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { packageJson, root } from './package'

export interface Definition {
  category: string
  icon?: string
  inputs?: number
  outputs?: number
  defaults: Record<string, { value: unknown; type?: string; required?: boolean; validate?: unknown }>
  credentials?: Record<string, { type: string }>
  oneditsave?: unknown
  oneditcancel?: unknown
  oneditdelete?: unknown
}

export interface BuiltNode {
  type: string
  /** `account`, `current`, … */
  name: string
  folder: string
  html: string
  /** the one inline script of the html, and its form */
  script: string
  form: string
}

export const languages = readdirSync(join(root, 'locales'))

export const nodes: readonly BuiltNode[] = Object.entries(packageJson['node-red'].nodes).map(
  ([type, file]) => {
    const path = join(root, file)
    const html = path.replace(/\.js$/, '.html')
    // There is no build; the tests report this.
    const text = existsSync(html) ? readFileSync(html, 'utf8') : ''
    return {
      type,
      name: basename(file, '.js'),
      folder: dirname(path),
      html: text,
      script: scriptsOf(text).find(({ kind }) => kind === 'text/javascript')?.body ?? '',
      form: scriptsOf(text).find(({ kind }) => kind === 'text/html')?.body ?? '',
    }
  },
)

export interface HtmlScript {
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

/** What the scripts register, by type. */
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

/** @throws where the script fails or does not register the type */
export function definitionOf(type: string): Definition {
  const script = nodes.find((node) => node.type === type)?.script ?? ''
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

export function catalogIn(file: string): Catalog {
  const texts: Catalog = new Map()
  const walk = (found: object, path: string) => {
    for (const [key, value] of Object.entries(found)) {
      if (typeof value === 'object' && value !== null) walk(value, `${path}${key}.`)
      else texts.set(`${path}${key}`, value)
    }
  }
  walk(JSON.parse(readFileSync(file, 'utf8')), '')
  return texts
}

/** A node's catalog as the package ships it. */
export function catalogOf({ folder, name }: BuiltNode, language: string): Catalog {
  return catalogIn(join(folder, 'locales', language, `${name}.json`))
}

export function helpOf({ folder, name }: BuiltNode, language: string): string {
  return readFileSync(join(folder, 'locales', language, `${name}.html`), 'utf8')
}
