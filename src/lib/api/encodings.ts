/**
 * The encodings in which a text may hold another one. Each decoder is lenient: it decodes whatever looks encoded in a
 * text and leaves the rest.
 */

/** Returns what a text, or a part of it, means in one encoding; nothing where it is not in that encoding. */
export type EncodingDecoder = (text: string) => string[]

/** @param minLength characters that a decoded text has to have: shorter ones are left out */
export function createEncodingDecoders(minLength: number): readonly EncodingDecoder[] {
  const legible = new RegExp(`[^\\0-\\x1f\\x7f\\ufffd]{${minLength}}`)
  const toLegibleTexts = (bytes: Buffer) =>
    [bytes.toString(), bytes.toString('latin1')].filter((text) => legible.test(text))
  const base64 = new RegExp(`[\\w+/-]{${Math.ceil((minLength * 4) / 3)},}`, 'g')
  const hex = new RegExp(`(?:(?:0x|\\\\x)?[0-9a-f]{2}[\\s:.,-]?){${minLength},}[0-9a-f]?`, 'gi')
  /** A run may be cut out of a longer one, so it is decoded at each alignment, with zeros in front. */
  const decodeAlignments = (run: string, alignments: number, encoding: 'base64' | 'hex') =>
    Array.from({ length: alignments }, (_, shift) =>
      Buffer.from((encoding === 'hex' ? '0' : 'A').repeat(shift) + run, encoding),
    ).flatMap(toLegibleTexts)
  return [
    decodeJson,
    decodePercent,
    (text) => (text.includes('+') ? [text.replaceAll('+', ' ')] : []),
    decodeHtml,
    decodeQuotedPrintable,
    (text) => (/[\x80-\xff]/.test(text) ? [Buffer.from(text, 'latin1').toString()] : []),
    // Base64 may be broken into lines.
    (text) =>
      (text.replace(/[\r\n]+[ \t]*/g, '').match(base64) ?? []).flatMap((run) =>
        decodeAlignments(run, 4, 'base64'),
      ),
    (text) =>
      (text.match(hex) ?? []).flatMap((run) =>
        decodeAlignments(run.replace(/0x|[\\x\s:.,-]/gi, ''), 2, 'hex'),
      ),
  ]
}

const JSON_ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

const decodeJson: EncodingDecoder = (text) =>
  replaceEscapes(text, /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'\\/nrtbf]))/gi, (_, unit, byte, sign) =>
    sign ? (JSON_ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
  )

const decodePercent: EncodingDecoder = (text) =>
  replaceEscapes(text, /((?:%[0-9a-f]{2})+)|%u([0-9a-f]{4})/gi, (_, bytes, unit) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : decodeHexBytes(bytes),
  )

const decodeQuotedPrintable: EncodingDecoder = (text) =>
  replaceEscapes(text, /=\r?\n|((?:=[0-9a-f]{2})+)/gi, (_, bytes) => (bytes ? decodeHexBytes(bytes) : ''))

const decodeHexBytes = (bytes: string) => Buffer.from(bytes.replace(/[%=]/g, ''), 'hex').toString()

const ENTITY_NAMES = Object.entries({
  ...{ '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp', "'": 'apos' },
  ...{ '(': 'lpar', ')': 'rpar', '*': 'ast', '+': 'plus', ',': 'comma', '.': 'period', '/': 'sol' },
  ...{ ':': 'colon', ';': 'semi', '<': 'lt', '=': 'equals', '>': 'gt', '?': 'quest', '@': 'commat' },
  ...{ '[': 'lsqb lbrack', '\\': 'bsol', ']': 'rsqb rbrack', '^': 'hat', _: 'lowbar', '`': 'grave' },
  ...{ '{': 'lcub lbrace', '|': 'verbar vert', '}': 'rcub rbrace', ' ': 'nbsp tab newline' },
})
const ENTITIES = new Map(
  ENTITY_NAMES.flatMap(([sign, names]) => names.split(' ').map((name) => [name, sign])),
)

const decodeHtml: EncodingDecoder = (text) =>
  replaceEscapes(
    text,
    /&(?:#x([0-9a-f]{1,20});?|#(\d{1,20});?|([a-z]{2,7});)/gi,
    (entity, hex, decimal, name) => {
      if (name) return ENTITIES.get(name.toLowerCase()) ?? entity
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity
    },
  )

type Replacer = (match: string, ...groups: string[]) => string

/** Replaces the escapes in a text; returns nothing where it has none. */
function replaceEscapes(text: string, escapes: RegExp, replacer: Replacer): string[] {
  const decoded = text.replace(escapes, replacer)
  return decoded === text ? [] : [decoded]
}
