import { parseArgs } from 'node:util'

/** A command line that cannot be understood; its message is a key of the catalogs with parameters. */
export class UsageError extends Error {
  constructor(
    readonly key: string,
    readonly params: Readonly<Record<string, string>> = {},
  ) {
    super(key)
  }
}

export interface Options {
  /** File for the anonymized answers. */
  save?: string
  /** File with the address and credentials. */
  credentials?: string
  language?: string
  json: boolean
  yes: boolean
  help: boolean
}

/** Reads the arguments. Secrets are never among them: other users of the machine could see them. @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        save: { type: 'string' },
        credentials: { type: 'string' },
        lang: { type: 'string' },
        json: { type: 'boolean' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const { save, credentials, lang, json = false, yes = false, help = false } = values
    return {
      json,
      yes,
      help,
      ...(save === undefined ? {} : { save }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(lang === undefined ? {} : { language: lang }),
    }
  } catch {
    // The message of the parser repeats the argument, which may be a password that was typed by mistake.
    throw new UsageError('check.usage-unknown')
  }
}
