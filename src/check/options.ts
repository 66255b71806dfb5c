import { parseArgs } from 'node:util'

/** The command was used wrongly. The message is a sentence, or a key in the catalogs. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly params: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export type Options = ReturnType<typeof readOptions>

/**
 * Reads the arguments. They never contain secrets, because other users of the machine could see them.
 * @throws UsageError
 */
export function readOptions(args: string[]) {
  try {
    const options = {
      save: { type: 'string' },
      credentials: { type: 'string' },
      lang: { type: 'string' },
      json: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args, options }).values
  } catch {
    // The parser's message contains the argument, which may be a password typed by mistake.
    throw new UsageError('check.usage-unknown')
  }
}
