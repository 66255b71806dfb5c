/** What a text says where it, or a part of it, is taken for another one that was written in some way. */

/** What a text may have been. */
export type Decoder = (text: string) => string[]

/** @param least letters that are worth looking at */
export function createEncodingDecoders(least: number): readonly Decoder[] {
  const legible = new RegExp(`[^\\0-\\x1f\\x7f\\ufffd]{${least}}`)
  const readable = (bytes: Buffer) =>
    [bytes.toString(), bytes.toString('latin1')].filter((text) => legible.test(text))
  const base64 = new RegExp(`[\\w+/-]{${Math.ceil((least * 4) / 3)},}`, 'g')
  const hex = new RegExp(`(?:(?:0x|\\\\x)?[0-9a-f]{2}[\\s:.,-]?){${least},}[0-9a-f]?`, 'gi')
  /** It may be cut out of a longer one: its first letter may be any of so many. Before it zeros are taken for granted. */
  const startsOf = (run: string, starts: number, encoding: 'base64' | 'hex') =>
    Array.from({ length: starts }, (_, start) =>
      Buffer.from((encoding === 'hex' ? '0' : 'A').repeat(start) + run, encoding),
    ).flatMap(readable)
  return [
    fromJson,
    fromUrl,
    (text) => (text.includes('+') ? [text.replaceAll('+', ' ')] : []),
    fromHtml,
    fromQuoted,
    (text) => (/[\x80-\xff]/.test(text) ? [Buffer.from(text, 'latin1').toString()] : []),
    // It may be broken into lines.
    (text) =>
      (text.replace(/[\r\n]+[ \t]*/g, '').match(base64) ?? []).flatMap((run) => startsOf(run, 4, 'base64')),
    (text) =>
      (text.match(hex) ?? []).flatMap((run) => startsOf(run.replace(/0x|[\\x\s:.,-]/gi, ''), 2, 'hex')),
  ]
}

const SHORT: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

const fromJson: Decoder = (text) =>
  changed(text, /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'\\/nrtbf]))/gi, (_, unit, byte, sign) =>
    sign ? (SHORT[sign] ?? sign) : String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
  )

const fromUrl: Decoder = (text) =>
  changed(text, /((?:%[0-9a-f]{2})+)|%u([0-9a-f]{4})/gi, (_, bytes, unit) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : ofHex(bytes),
  )

const fromQuoted: Decoder = (text) =>
  changed(text, /=\r?\n|((?:=[0-9a-f]{2})+)/gi, (_, bytes) => (bytes ? ofHex(bytes) : ''))

const ofHex = (bytes: string) => Buffer.from(bytes.replace(/[%=]/g, ''), 'hex').toString()

const NAMED = Object.entries({
  ...{ '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp', "'": 'apos' },
  ...{ '(': 'lpar', ')': 'rpar', '*': 'ast', '+': 'plus', ',': 'comma', '.': 'period', '/': 'sol' },
  ...{ ':': 'colon', ';': 'semi', '<': 'lt', '=': 'equals', '>': 'gt', '?': 'quest', '@': 'commat' },
  ...{ '[': 'lsqb lbrack', '\\': 'bsol', ']': 'rsqb rbrack', '^': 'hat', _: 'lowbar', '`': 'grave' },
  ...{ '{': 'lcub lbrace', '|': 'verbar vert', '}': 'rcub rbrace', ' ': 'nbsp tab newline' },
})
const ENTITIES = new Map(NAMED.flatMap(([sign, names]) => names.split(' ').map((name) => [name, sign])))

const fromHtml: Decoder = (text) =>
  changed(text, /&(?:#x([0-9a-f]{1,20});?|#(\d{1,20});?|([a-z]{2,7});)/gi, (entity, hex, decimal, name) => {
    if (name) return ENTITIES.get(name.toLowerCase()) ?? entity
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })

type Replacer = (found: string, ...groups: string[]) => string

/** The text with its escapes replaced; nothing where it has none. */
function changed(text: string, escapes: RegExp, replacer: Replacer): string[] {
  const read = text.replace(escapes, replacer)
  return read === text ? [] : [read]
}
