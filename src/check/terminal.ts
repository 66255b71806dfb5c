import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Translate } from '../lib/texts'

/** The parts of a process that the command needs. */
export type Io = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>

/**
 * Asks the user. It shows neither secret input nor text that is pasted after the end of a line, which may be a secret.
 * @throws with code `ABORT_ERR` at Ctrl-C and Ctrl-D
 */
export async function ask({ stdin, stderr }: Io, question: string, isSecret = false): Promise<string> {
  let isShown = true
  const output = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      if (isShown) stderr.write(text)
      if (String(text).includes(isSecret ? question : '\n')) isShown = false
      done()
    },
  })
  const terminal = createInterface({ input: stdin, output, terminal: true })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
    if (isSecret) stderr.write('\n')
  }
}

/** Asks the user whether to send the requests. English answers are accepted in every language. */
export async function confirm(io: Io, translate: Translate): Promise<boolean> {
  const answer = await ask(io, `${translate('check.confirm')} `)
  return ['y', 'yes', translate('check.yes')].includes(answer.toLowerCase())
}
