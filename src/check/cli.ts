/** envlog-check: shows from the command line what the service really sends to an account. */
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { findLanguage, languages, loadTexts, type Translate } from '../lib/texts'
import { readLogin } from './credentials'
import { type Options, readOptions, UsageError } from './options'
import { jsonText, planText, resultText } from './print'
import { checkService, EXIT } from './service-check'
import { confirm, type Io } from './terminal'

export async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), process)
}

/** Runs the command. @returns its exit code */
export async function run(args: string[], io: Io): Promise<number> {
  const { LC_ALL, LC_MESSAGES, LANG = '' } = io.env
  let translate = loadTexts('check', findLanguage(LC_ALL || LC_MESSAGES || LANG))
  try {
    const options = readOptions(args)
    if (options.lang !== undefined) {
      const language = findLanguage(options.lang)
      if (!language) throw new UsageError('check.usage-language', { languages: languages().join(', ') })
      translate = loadTexts('check', language)
    }
    if (!options.help) return await check(options, io, translate)
    io.stdout.write(`${translate('check.help')}\n`)
    return EXIT.ok
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    if (error instanceof UsageError) {
      io.stderr.write(
        `envlog-check: ${translate(error.message, error.params)}\n${translate('check.see-help')}\n`,
      )
      return EXIT.usage
    }
    // `ABORT_ERR`: Ctrl-C or Ctrl-D at a question. Of any other error only the code is shown, because the message may
    // contain what was typed.
    const isAborted = code === 'ABORT_ERR'
    io.stderr.write(isAborted ? '\n' : `envlog-check: ${code ?? name}\n`)
    return isAborted ? EXIT.usage : EXIT.notReached
  }
}

async function check(options: Options, io: Io, translate: Translate): Promise<number> {
  const { save } = options
  const { env, stdin, stdout, stderr } = io
  const login = await readLogin(options.credentials, io, translate)
  stderr.write(planText(translate))
  if (!options.yes) {
    if (!stdin.isTTY) throw new UsageError('check.usage-yes')
    if (!(await confirm(io, translate))) return EXIT.usage
  }
  // Checked first, so that no requests are spent on a report that cannot be saved.
  if (save !== undefined) writeTo(save, tryToWrite)
  const { result, report } = await checkService(login, env, translate)
  stdout.write(options.json ? jsonText(result) : resultText(result, translate))
  if (save !== undefined) {
    writeTo(save, (file) => writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`))
    stderr.write(`${translate('check.saved')}\n`)
  }
  return result.exitCode
}

/** Changes nothing, so that an interrupted check leaves no empty file. */
function tryToWrite(file: string): void {
  const isNew = !existsSync(file)
  appendFileSync(file, '')
  if (isNew) rmSync(file)
}

/** @throws UsageError if the file cannot be written */
function writeTo(file: string, write: (file: string) => void): void {
  try {
    write(file)
  } catch (error) {
    throw new UsageError('check.not-saved', { detail: String((error as NodeJS.ErrnoException).code) })
  }
}
