import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createAlarmsSamples, createSamples } from '../../../scripts/samples'
import { ACTION_TYPES } from '../../../src/shared/action'
import { codeIn, read } from '../../support/documents'
import { packageJson, root } from '../../support/package'

const TYPESCRIPT = dirname(createRequire(__filename).resolve('typescript/package.json'))

/** The payload of each output of the nodes that send readings; `[]` if it depends on *Send*. */
const PAYLOADS: Record<string, string> = {
  'envlog-current readings': 'Reading',
  'envlog-latest readings': 'SeriesPayload',
  'envlog-range readings': 'SeriesPayload',
  'envlog-alerts readings': 'Alert',
  rows: 'Row',
  points: 'Point',
  values: 'number',
  statistics: 'StatisticsRow',
  raw: '{ note: string }',
  csv: 'string',
  csv2: 'string',
  text: 'string',
  event: 'AlarmEvent',
  states: 'boolean',
  summary: 'AlarmsSummary',
}

/** The type of a generated sample, which is named `<type> <output> <send> …`. */
function typeOfMessage(name: string, { payload }: { payload?: unknown }): string {
  const [type, output = ''] = name.split(' ')
  const element = PAYLOADS[`${type} ${output}`] ?? PAYLOADS[output] ?? 'never'
  const message = type === 'envlog-alarms' ? 'AlarmsMessage' : 'ReadingsMessage'
  return `${message}<${Array.isArray(payload) ? `${element}[]` : element}>`
}

const jsonIn = (file: string, index: number): string =>
  codeIn(read(file)).filter(({ language }) => language === 'json')[index]?.text ?? ''

/** The samples of the documents, in their order. */
const DOCUMENTED: readonly (readonly [file: string, index: number, type: string])[] = [
  ...['MessageMetadata', 'Reading[]', 'SeriesPayload', 'Alert[]', 'Row', 'Point', 'StatisticsRow'].map(
    (type, index) => ['docs/messages.md', index, type] as const,
  ),
  ['docs/limits.md', 1, 'AlarmEvent'],
  ['docs/report.md', 0, 'ReportSummary'],
]

/** As code: the time of a point is a Date, which JSON shows as text. */
function toCode(json: string, type: string): string {
  return type.includes('Point') ? json.replace(/("timestamp": ?)("[^"]*")/g, '$1new Date($2)') : json
}

/** The lines of a program that is correct if every sample has its type, and nothing is `any`. */
async function programOf(): Promise<string[]> {
  const samples = await Promise.all(ACTION_TYPES.map(createSamples))
  const messages = Object.entries<object>(Object.assign({}, ...samples, createAlarmsSamples('en-US')))
  const checks = [
    ...messages.map(([name, message]) => [JSON.stringify(message), typeOfMessage(name, message)] as const),
    ...DOCUMENTED.map(([file, index, type]) => [jsonIn(file, index), type] as const),
  ]
  return [
    `import type * as envlog from '${packageJson.name}'`,
    ...checks.flatMap(([json, type], index) => {
      const name = type.replace(/\b[A-Z]\w+/g, 'envlog.$&')
      return [
        `export const sample${index}: ${name} = ${toCode(json, type)}`,
        '// @ts-expect-error',
        `export const other${index}: ${name} = { unknown: ${index} }`,
      ]
    }),
  ]
}

describe('the types of messages', () => {
  let folder: string

  before('installs the package', () => {
    folder = mkdtempSync(join(tmpdir(), 'envlog-types-'))
    const installed = join(folder, 'node_modules', packageJson.name)
    mkdirSync(dirname(installed), { recursive: true })
    symlinkSync(root, installed, 'junction')
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are those of the messages that the nodes send, and of the samples in the documents', async () => {
    writeFileSync(join(folder, 'samples.ts'), (await programOf()).join('\n'))
    const compilerOptions = { strict: true, noEmit: true, module: 'node16', target: 'es2022', types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['samples.ts'] }))
    const compile = [join(TYPESCRIPT, 'bin', 'tsc'), '-p', folder]
    await promisify(execFile)(process.execPath, compile).catch(({ stdout }) => {
      throw new Error(stdout)
    })
  })
})
