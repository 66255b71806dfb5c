/**
 * Writes `dist/messages.d.ts`: what `src/messages.ts` exports, and the types that this needs, in one file. The compiler
 * writes a file for each module, in which every statement begins at the start of a line.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = dirname(__dirname)
const compiler = join(dirname(createRequire(__filename).resolve('typescript/package.json')), 'bin', 'tsc')

/** What a module declares, with comments, and the modules from which it takes other names. */
interface DeclarationFile {
  declared: ReadonlyMap<string, string>
  imported: ReadonlyMap<string, string>
  exported: readonly string[]
}

const OWN = /^(?:export )?(?:declare )?(?:interface|type|const|class) (\w+)/m
const FROM = /^(?:import|export) (?:type )?\{(.*)\} from '(\.[^']*)';/

/** The statements of a file, each with the comment before it. */
function statementsOf(file: string): { statement: string; comment: string }[] {
  const parts = readFileSync(`${file}.d.ts`, 'utf8').split(
    /^(?=\/\*\*|(?:import|export|declare|interface|type)\b)/m,
  )
  const isComment = (part = '') => part.startsWith('/**')
  return parts.flatMap((statement, index) => {
    const before = parts[index - 1]
    return isComment(statement) ? [] : [{ statement, comment: isComment(before) ? `${before}` : '' }]
  })
}

function readDeclarations(file: string): DeclarationFile {
  const declared = new Map<string, string>()
  const imported = new Map<string, string>()
  const exported: string[] = []
  for (const { statement, comment } of statementsOf(file)) {
    const [, list = '', from = ''] = FROM.exec(statement) ?? []
    const own = OWN.exec(statement)?.[1]
    const names = own ? [own] : list.split(',').map((name) => name.replace('type ', '').trim())
    if (own) declared.set(own, comment + statement.replace(/^export /, ''))
    else if (from) for (const name of names) imported.set(name, join(dirname(file), from))
    if (statement.startsWith('export ')) exported.push(...names)
  }
  return { declared, imported, exported }
}

/** The declarations that `entry` exports, and those that they need. */
function bundle(entry: string): string {
  const files = new Map<string, DeclarationFile>()
  const bundled = new Map<string, string>()
  const read = (file: string) => {
    const known = files.get(file) ?? readDeclarations(file)
    files.set(file, known)
    return known
  }
  function add(name: string, file: string): void {
    const { declared, imported } = read(file)
    const from = imported.get(name)
    if (from !== undefined) add(name, from)
    const text = declared.get(name)
    if (text === undefined || bundled.get(name) === text) return
    if (bundled.has(name)) throw new Error(`Two types of messages are named ${name}.`)
    bundled.set(name, text)
    for (const [used] of text.replace(/\/\*\*[\s\S]*?\*\//g, '').matchAll(/\b[A-Z]\w*/g)) add(used, file)
  }
  const { exported } = read(entry)
  for (const name of exported) add(name, entry)
  const texts = Array.from(bundled, ([name, text]) =>
    exported.includes(name) ? text.replace(/^(?=interface|type)/m, 'export ') : text,
  )
  // Without the last line, all declarations would be exported.
  return `/** The messages of the nodes (docs/messages.md, docs/limits.md, docs/report.md). */\n\n${texts.join('')}export {};\n`
}

export async function writeMessageTypes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'envlog-types-'))
  try {
    const flags = '--ignoreConfig --noCheck --strict --module node16 --target es2022 --types node'
    const output = ['--declaration', '--emitDeclarationOnly', '--outDir', folder]
    await promisify(execFile)(
      process.execPath,
      [compiler, ...flags.split(' '), ...output, join(root, 'src/messages.ts')],
      { cwd: root },
    )
    writeFileSync(join(root, 'dist/messages.d.ts'), bundle(join(folder, 'messages')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
