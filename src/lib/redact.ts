/**
 * Keeps secrets out of the package's errors, statuses, logs and reports, which may contain texts from the service, from
 * proxies or from Node.js, and these may repeat a request. Payloads are passed on unchanged.
 */
export class Redactor {
  readonly #secrets: readonly string[]
  readonly #base64: readonly string[]

  /** @param secrets blank ones are ignored */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret !== '')
    this.#base64 = this.#secrets.flatMap(base64Fragments)
  }

  /** True if a text contains a secret: verbatim, or in JSON, URL or base64 encoding. */
  reveals(text: string): boolean {
    const spellings = [text, unescapeJson(text), unescapeUrl(text)]
    if (this.#secrets.some((secret) => spellings.some((spelling) => spelling.includes(secret)))) return true
    const standard = text.replaceAll('-', '+').replaceAll('_', '/')
    return this.#base64.some((fragment) => standard.includes(fragment))
  }

  /** The text, or a blank text if it contains a secret. */
  guard(text: string): string {
    return this.reveals(text) ? '' : text
  }
}

const unescapeJson = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, unit?: string, sign?: string) =>
    unit === undefined ? (sign ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
  )

const unescapeUrl = (text: string) =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

/**
 * The fragments that base64 of a longer text contains if the secret begins at the first, second or third byte of a
 * group: without the characters that depend on the bytes before and after. Fragments of one or two characters would be
 * found in any text.
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
