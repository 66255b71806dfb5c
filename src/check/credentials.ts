import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import {
  ACCOUNT_DEFAULTS,
  CREDENTIAL_LENGTHS,
  findAddressProblem,
  isRelaySuffix,
  normalizeAddress,
} from '../shared/account'
import { UsageError } from './options'
import type { Translate } from './texts'

export interface Login {
  baseUrl: string
  relaySuffix: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
}

/** What is asked for, and its environment variable. `isSecret`: it is not shown while it is typed. */
const FIELDS = [
  { name: 'baseUrl', variable: 'ENVLOG_URL', isSecret: false },
  { name: 'apiKey', variable: 'ENVLOG_API_KEY', isSecret: true },
  { name: 'loginId', variable: 'ENVLOG_LOGIN_ID', isSecret: false },
  { name: 'loginPass', variable: 'ENVLOG_LOGIN_PASS', isSecret: true },
] as const
const RELAY_SUFFIX = { name: 'relaySuffix', variable: 'ENVLOG_RELAY_SUFFIX' } as const

/**
 * The login from a file, else from environment variables; what is missing is asked for on a terminal.
 * @throws UsageError
 */
export async function readLogin(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  translate: Translate,
): Promise<Login> {
  const given = file === undefined ? {} : readFile(file)
  const values: Record<string, string> = {}
  for (const { name, variable, isSecret } of FIELDS) {
    const known = given[name] ?? env[variable]
    if (known === undefined && !process.stdin.isTTY) {
      throw new UsageError('check.usage-missing', { variable })
    }
    const value = known ?? (await ask(`${translate(`check.ask-${name}`)}: `, isSecret))
    values[name] = value.trim()
  }
  const relaySuffix = given[RELAY_SUFFIX.name] ?? env[RELAY_SUFFIX.variable] ?? ACCOUNT_DEFAULTS.relaySuffix
  const { baseUrl = '', apiKey = '', loginId = '', loginPass = '' } = values
  const problem = findAddressProblem(baseUrl)
  if (problem) throw new UsageError(`problems.address-${problem}`)
  if (!isRelaySuffix(relaySuffix)) throw new UsageError('problems.relay-suffix')
  const credentials = { apiKey, loginId, loginPass }
  for (const [name, [min, max]] of Object.entries(CREDENTIAL_LENGTHS)) {
    const { length } = credentials[name as keyof typeof CREDENTIAL_LENGTHS]
    if (length < min || length > max)
      throw new UsageError('check.usage-length', { field: `check.ask-${name}` })
  }
  return { baseUrl: normalizeAddress(baseUrl), relaySuffix, credentials }
}

/** A JSON object with the names of the account's properties. */
function readFile(file: string): Record<string, string | undefined> {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
    if (typeof content !== 'object' || content === null || Array.isArray(content))
      throw new Error('no object')
    const entries = Object.entries(content).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(entries) as Record<string, string>
  } catch {
    // The message of the JSON parser may quote a part of the file.
    throw new UsageError('check.usage-file')
  }
}

async function ask(question: string, isSecret: boolean): Promise<string> {
  if (isSecret) return askHidden(question)
  // What is pasted after the end of the line may be a secret.
  let isShown = true
  const output = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      if (isShown) process.stderr.write(text)
      if (String(text).includes('\n')) isShown = false
      done()
    },
  })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

const [END_OF_TEXT, END_OF_TRANSMISSION, BACKSPACE, DELETE, KILL_LINE] = [
  '\x03',
  '\x04',
  '\b',
  '\x7f',
  '\x15',
]

/** Asks without showing what is typed; Ctrl-C ends the program as usual. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = () => {
      stdin.off('data', onData)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const onData = (text: string) => {
      for (const character of text) {
        if (character === END_OF_TEXT) {
          end()
          process.kill(process.pid, 'SIGINT')
          return
        }
        if (character === END_OF_TRANSMISSION && typed === '') {
          end()
          // As at a question whose answer is shown.
          reject(Object.assign(new Error('no input'), { code: 'ABORT_ERR' }))
          return
        }
        if (character === '\r' || character === '\n' || character === END_OF_TRANSMISSION) {
          end()
          resolve(typed)
          return
        }
        if (character === BACKSPACE || character === DELETE) typed = Array.from(typed).slice(0, -1).join('')
        else if (character === KILL_LINE) typed = ''
        else if (character >= ' ') typed += character
      }
    }
    stdin.on('data', onData)
  })
}

/** Asks for a yes. @throws UsageError where nobody can be asked */
export async function confirm(question: string, yes: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('check.usage-yes')
  const answer = await ask(`${question} `, false)
  return answer.trim().toLowerCase() === yes.toLowerCase() || /^y(es)?$/i.test(answer.trim())
}
