/**
 * Keeps secrets out of errors, statuses, logs and reports. These may quote texts from the service, a proxy or Node.js,
 * and such a text may contain parts of the request. Payloads are not changed.
 */
export class Redactor {
  readonly #secrets: readonly string[]
  readonly #base64: readonly string[]

  /** @param secrets blank ones are ignored */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.flatMap((secret) => (secret === '' ? [] : [secret, toOneLine(secret)]))
    this.#base64 = this.#secrets.flatMap(base64Fragments)
  }

  /** Whether a text contains a secret, verbatim, in one line, or in JSON, URL or base64 encoding. */
  reveals(text: string): boolean {
    // Forms spell a space as a plus sign; other parts of a URL may contain the sign itself.
    const spellings = [text, unescapeJson(text), unescapeUrl(text), unescapeUrl(text.replaceAll('+', '%2B'))]
    if (this.#secrets.some((secret) => spellings.some((spelling) => spelling.includes(secret)))) return true
    const standard = text.replaceAll('-', '+').replaceAll('_', '/')
    return this.#base64.some((fragment) => standard.includes(fragment))
  }

  /** The text, or a blank text if it contains a secret. */
  guard(text: string): string {
    return this.reveals(text) ? '' : text
  }
}

/** Replaces characters that could forge or hide parts of a log line, and halves of cut characters. */
export const toOneLine = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')

const unescapeJson = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, unit?: string, sign?: string) =>
    unit === undefined ? (sign ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
  )

const unescapeUrl = (text: string) =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

/**
 * The parts of the base64 of a longer text that represent the secret, for each of its three possible positions in a
 * group of three bytes. Characters that also depend on neighbouring bytes are cut off. Fragments of one or two
 * characters are dropped, because any text may contain them.
 */
function base64Fragments(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replaceAll('=', '')
      const first = Math.ceil((offset * 8) / 6)
      return encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6))
    })
    .filter((fragment) => fragment.length > 2)
}
