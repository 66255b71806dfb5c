/**
 * Secrets that the service's or a proxy's words may repeat: whoever echoes a request may write it in any of these
 * spellings, one inside another, or only a part of it.
 */

/** So many letters of a secret in a row tell too much of it. */
const WINDOW = 6
/** Spellings inside each other that are looked through. */
const ROUNDS = 4
const MOST_READINGS = 100
/** Of longer words only the beginning is looked at, and used. */
const MOST_LETTERS = 4000

/** Makes a function that gives back a text as it is, or nothing where any of it might be of an account's secrets. */
export function secretsGuard(secrets: readonly string[]): (text: string) => string {
  const windows = new Set(secrets.flatMap((secret) => [...windowsOf(secret), ...windowsOf(asBytes(secret))]))
  const tells = (reading: string) => {
    const lower = reading.toLowerCase()
    for (const one of windows) if (lower.includes(one)) return true
    return false
  }
  return (text) => {
    const words = text.slice(0, MOST_LETTERS)
    for (const reading of readingsOf(words)) if (tells(reading)) return ''
    return words
  }
}

function windowsOf(secret: string): string[] {
  // Half a surrogate pair cannot be sent.
  const lower = Buffer.from(secret).toString().toLowerCase()
  if (lower.length <= WINDOW) return lower === '' ? [] : [lower]
  return Array.from({ length: lower.length - WINDOW + 1 }, (_, at) => lower.slice(at, at + WINDOW))
}

const asBytes = (text: string) => Buffer.from(text).toString('latin1')
const asText = (bytes: Buffer) => [bytes.toString(), bytes.toString('latin1')]

/** A text, and what it says where it is taken for an encoding of another, several times over. */
function readingsOf(text: string): Set<string> {
  const found = new Set([text])
  let last = [text]
  for (let round = 0; round < ROUNDS; round++) {
    last = last.flatMap((one) => decoders.flatMap((decode) => decode(one))).filter((one) => !found.has(one))
    for (const one of last) if (found.size < MOST_READINGS) found.add(one)
  }
  return found
}

const decoders: readonly ((text: string) => string[])[] = [
  (text) => [fromJson(text)],
  (text) => [fromUrl(text), fromUrl(text.replaceAll('+', ' '))],
  (text) => [fromHtml(text)],
  (text) => [Buffer.from(text, 'latin1').toString()],
  (text) => runsIn(text, /[A-Za-z0-9+/_-]{6,}/g, 4, 'base64'),
  (text) => runsIn(text, /[0-9a-f]{8,}/gi, 2, 'hex'),
]

const fromJson = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{4})|(["'\\/]))/gi, (_, code: string | undefined, letter: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : letter,
  )

const fromUrl = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const fromHtml = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (entity, hex, decimal, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? entity
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })

/** Parts that look like an encoding, which may begin at any of so many letters: it may be cut out of a longer one. */
function runsIn(text: string, run: RegExp, starts: number, encoding: 'base64' | 'hex'): string[] {
  const decoded = (start: number) =>
    [...text.matchAll(run)].map(([letters]) => Buffer.from(letters.slice(start), encoding))
  return Array.from({ length: starts }, (_, start) => asText(Buffer.concat(decoded(start)))).flat()
}

/** Makes a function that takes an account's secrets out of an answer that goes on as it came, and leaves all else. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const spellings = new Set<string>()
  for (const given of secrets) {
    const secret = Buffer.from(given).toString()
    if (secret === '') continue
    // As text in JSON, and as JSON that stands in a text of JSON.
    const json = jsonOf(secret)
    for (const one of [json, jsonOf(json)]) spellings.add(one).add(one.replaceAll('/', '\\/'))
    spellings.add(secret).add(encodeURIComponent(secret))
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      spellings.add(Buffer.from(secret).toString(encoding))
    }
  }
  // Longest first: a short secret inside a longer one must not leave the rest of it standing.
  const ordered = [...spellings].sort((a, b) => b.length - a.length)
  return (text) => ordered.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

const jsonOf = (text: string) => JSON.stringify(text).slice(1, -1)
