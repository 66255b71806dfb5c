/**
 * Encodings of a text, each with its decoder: how a secret may be echoed, and how it can be read from
 * a text.
 */
export interface Spelling {
  write(text: string): string
  /** What a text may have been, one of these. */
  read(text: string): string[]
}

const bytes = (text: string) => [...Buffer.from(text)]
const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')

const NAMES: Record<string, string> = {
  ...{
    '!': 'excl',
    '"': 'quot',
    '#': 'num',
    $: 'dollar',
    '%': 'percnt',
    '&': 'amp',
    "'": 'apos',
    '(': 'lpar',
  },
  ...{
    ')': 'rpar',
    '*': 'ast',
    '+': 'plus',
    ',': 'comma',
    '.': 'period',
    '/': 'sol',
    ':': 'colon',
    ';': 'semi',
  },
  ...{
    '<': 'lt',
    '=': 'equals',
    '>': 'gt',
    '?': 'quest',
    '@': 'commat',
    '[': 'lsqb',
    '\\': 'bsol',
    ']': 'rsqb',
  },
  ...{ '^': 'Hat', _: 'lowbar', '`': 'grave', '{': 'lcub', '|': 'verbar', '}': 'rcub', '\u00a0': 'nbsp' },
}
const OF_NAME = Object.fromEntries(Object.entries(NAMES).map(([sign, name]) => [name, sign]))

const fromJson = (text: string) => [
  text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(["'\\/]))/gi, (_, unit, byte, sign) =>
    sign ? sign : String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
  ),
]
const fromUrl = (text: string) =>
  [text, text.replaceAll('+', ' ')].map((one) =>
    one
      .replace(/%u([0-9a-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
      .replace(/(?:%[0-9a-f]{2})+/gi, (found) => Buffer.from(found.replaceAll('%', ''), 'hex').toString()),
  )
const fromHtml = (text: string) => [
  text.replace(/&(?:#x0*([0-9a-f]{1,6});?|#0*(\d{1,7});?|(\w+);)/gi, (entity, hexadecimal, decimal, name) => {
    if (name) return OF_NAME[name] ?? OF_NAME[name.toLowerCase()] ?? entity
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  }),
]
const asText = (found: Buffer) => [found.toString(), found.toString('latin1')]
/** The encoded text may begin or end anywhere. */
const fromBase64 = (text: string) =>
  [text, text.replace(/[ \t]*[\r\n]+[ \t]*/g, '')].flatMap((one) =>
    (one.match(/[\w+/-]{8,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].flatMap((start) => asText(Buffer.from('A'.repeat(start) + run, 'base64'))),
    ),
  )
const fromHex = (text: string) =>
  (text.match(/[0-9a-f]{2}(?:[\s:.-]?[0-9a-f]{2}){5,}[0-9a-f]?/gi) ?? []).flatMap((run) =>
    [0, 1].flatMap((start) => asText(Buffer.from('0'.repeat(start) + run.replace(/[\s:.-]/g, ''), 'hex'))),
  )
const fromQuoted = (text: string) => [
  text
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9a-f]{2})+/gi, (found) => Buffer.from(found.replaceAll('=', ''), 'hex').toString()),
]

const json = (write: Spelling['write']): Spelling => ({ write, read: fromJson })
const url = (write: Spelling['write']): Spelling => ({ write, read: fromUrl })
const html = (write: Spelling['write']): Spelling => ({ write, read: fromHtml })
const base64 = (write: Spelling['write']): Spelling => ({ write, read: fromBase64 })
const hexed = (write: Spelling['write']): Spelling => ({ write, read: fromHex })
const asItIs = (text: string) => [text]
/** Secrets are searched ignoring case. */
const same = (write: Spelling['write']): Spelling => ({ write, read: asItIs })

const ascii = (text: string) =>
  JSON.stringify(text)
    .replaceAll('/', '\\/')
    .replace(/[^ -~]/g, (one) => `\\u${hex(one.charCodeAt(0), 4)}`)
/** Half a surrogate pair, of a text that was cut, cannot be sent. */
const wellFormed = (text: string) => Buffer.from(text).toString()
const encode = (text: string) => encodeURIComponent(wellFormed(text))
const wrapped = (width: number, end: string) => (text: string) =>
  (
    Buffer.from(text)
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
  ).join(end)

export const spellings = {
  plain: same((text) => text),
  capitals: same((text) => text.toUpperCase()),
  'small letters': same((text) => text.toLowerCase()),
  JSON: json((text) => JSON.stringify(text)),
  'JSON in ASCII, its slashes escaped': json(ascii),
  'JSON, all escaped': json((text) =>
    units(text)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(''),
  ),
  'JSON, all escaped in capitals': json((text) =>
    units(text)
      .map((unit) => `\\u${hex(unit, 4).toUpperCase()}`)
      .join(''),
  ),
  'JavaScript, its bytes escaped': json((text) =>
    units(text)
      .map((unit) => (unit < 256 ? `\\x${hex(unit, 2)}` : `\\u${hex(unit, 4)}`))
      .join(''),
  ),
  URL: url(encode),
  'URL in small letters': url((text) => encode(text).replace(/%../g, (one) => one.toLowerCase())),
  'URL, all of it': url((text) =>
    bytes(text)
      .map((byte) => `%${hex(byte, 2)}`)
      .join(''),
  ),
  'URL, all of it in capitals': url((text) =>
    bytes(text)
      .map((byte) => `%${hex(byte, 2).toUpperCase()}`)
      .join(''),
  ),
  'URL twice': url((text) => encode(encode(text))),
  'URL as old browsers escaped it': url((text) =>
    units(text)
      .map((unit) => (unit < 256 ? `%${hex(unit, 2)}` : `%u${hex(unit, 4)}`))
      .join(''),
  ),
  form: url((text) => new URLSearchParams({ p: wellFormed(text) }).toString()),
  HTML: html((text) => text.replace(/[&<>"']/g, (one) => (one === "'" ? '&#039;' : `&${NAMES[one]};`))),
  'HTML, all signs by name': html((text) =>
    [...text].map((one) => (NAMES[one] ? `&${NAMES[one]};` : one)).join(''),
  ),
  'HTML by numbers': html((text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join('')),
  'HTML by long numbers': html((text) =>
    [...text].map((one) => `&#${String(one.codePointAt(0)).padStart(8, '0')};`).join(''),
  ),
  'HTML by numbers without an end': html((text) =>
    [...text].map((one) => `&#${one.codePointAt(0)}`).join(''),
  ),
  'HTML by hex': html((text) => [...text].map((one) => `&#x${hex(one.codePointAt(0) ?? 0, 2)};`).join('')),
  'HTML by hex in capitals': html((text) =>
    [...text].map((one) => `&#X${hex(one.codePointAt(0) ?? 0, 2).toUpperCase()};`).join(''),
  ),
  hex: hexed((text) => Buffer.from(text).toString('hex')),
  'hex in capitals': hexed((text) => Buffer.from(text).toString('hex').toUpperCase()),
  'hex with colons': hexed((text) =>
    bytes(text)
      .map((byte) => hex(byte, 2))
      .join(':'),
  ),
  'hex with blanks': hexed((text) =>
    bytes(text)
      .map((byte) => hex(byte, 2))
      .join(' '),
  ),
  base64: base64((text) => Buffer.from(text).toString('base64')),
  'base64 without its end': base64((text) => Buffer.from(text).toString('base64').replace(/=+$/, '')),
  'base64 behind a letter': base64((text) => Buffer.from(`x${text}`).toString('base64')),
  'base64 behind two': base64((text) => Buffer.from(`u:${text}`).toString('base64')),
  'base64 within a sentence': base64((text) => Buffer.from(`login ${text} was wrong`).toString('base64')),
  'base64 behind a path': base64((text) => `/v1/log/${Buffer.from(text).toString('base64')}`),
  'base64 in lines': base64(wrapped(20, '\r\n')),
  base64url: base64((text) => Buffer.from(text).toString('base64url')),
  'base64url behind a letter': base64((text) => Buffer.from(`x${text}`).toString('base64url')),
  'quoted-printable': {
    write: (text) =>
      bytes(text)
        .map((byte) => `=${hex(byte, 2).toUpperCase()}`)
        .join(''),
    read: fromQuoted,
  },
  'bytes for letters': {
    write: (text) => Buffer.from(text).toString('latin1'),
    read: (text) => [Buffer.from(text, 'latin1').toString()],
  },
} satisfies Record<string, Spelling>

export type SpellingName = keyof typeof spellings
