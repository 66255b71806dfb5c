/** Secrets, encodings in which they are echoed, and the search for them in texts. */
import fc from 'fast-check'
import { type SpellingName, spellings } from './spellings'

/** So many letters of a secret in a row are too many. */
export const WINDOW_LENGTH = 6
/** Longer texts are shortened. */
const MAX_LETTERS = 3500

export interface Echo {
  /** Innermost first. */
  ways: readonly SpellingName[]
  /** The echoed part of the secret: from this character on, this many more than a window. */
  from: number
  more: number
  /** Number of characters that are cut off at the beginning and at the end. */
  cut: readonly [number, number]
  around: readonly [string, string]
}

const names = Object.keys(spellings) as SpellingName[]
/** Base64 in letters of another case cannot be decoded. */
const isLossy = (ways: readonly SpellingName[]) =>
  ways.some(
    (way, at) =>
      /^(?:capitals|small)/.test(way) && ways.slice(0, at).some((inner) => inner.startsWith('base64')),
  )

const before = [
  '',
  '',
  'wrong: ',
  "Invalid value '",
  'login-pass=',
  '{"login-pass":"',
  'Basic ',
  'x',
  '/',
  'It is ',
]
const behind = [
  '',
  '',
  '.',
  "'",
  '"}',
  '&api-key=',
  ' was refused. Check the parameters of the request, see documentation/authentication#loginpassword, and try it again. Request-ID 7f9c2ba4e88f827d616045507605853e',
  'x',
  '==',
]

const anyWays = fc
  .oneof(
    fc.constantFrom(...names).map((way) => [way]),
    fc.array(fc.constantFrom(...names), { minLength: 2, maxLength: 3 }),
  )
  .filter((ways) => !isLossy(ways))

export const anyEcho: fc.Arbitrary<Echo> = fc.record({
  ways: anyWays,
  from: fc.oneof(fc.constant(0), fc.nat(40)),
  more: fc.oneof(fc.constant(100), fc.nat(8)),
  cut: fc.oneof(fc.constant([0, 0] as const), fc.tuple(fc.nat(4), fc.nat(4))),
  around: fc.tuple(fc.constantFrom(...before), fc.constantFrom(...behind)),
})

/** The text of an echo. */
export function writeEcho(secret: string, { ways, from, more, cut, around }: Echo): string {
  const start = Math.min(from, Math.max(0, secret.length - WINDOW_LENGTH))
  const piece = secret.slice(start, start + WINDOW_LENGTH + more)
  const whole = ways.reduce((text, way) => spellings[way].write(text), piece)
  const kept = whole.slice(cut[0], whole.length - cut[1])
  return `${around[0]}${kept}${around[1]}`.slice(0, MAX_LETTERS)
}

/** Without six hexadecimal digits in a row, which Node-RED's random ids of messages may have. */
export const apiKeys = fc.stringMatching(/^[A-Za-z0-9]{45}$/).filter((key) => !/[0-9a-f]{6}/i.test(key))
export const passwords = fc.oneof(
  fc.stringMatching(/^[!-~]{6,16}$/),
  fc.stringMatching(/^[1-9][0-9]{5,14}$/),
  fc.stringMatching(/^[A-Z]{6,12}$/),
  fc.constantFrom(
    'p@ss!w0rd',
    'a/b&c"d',
    'geheim ü1',
    'パスワード12',
    "it's(1)*",
    'two words x',
    '100%25&amp;\\u0041',
  ),
)

const fold = (text: string) => text.toLowerCase().replace(/\s+/g, ' ')

const known = new Map<string, Set<string>>()

function windowsOf(secrets: readonly string[]): Set<string> {
  const key = secrets.join('\n')
  const found =
    known.get(key) ??
    new Set(
      secrets
        .map(fold)
        .flatMap((one) =>
          Array.from({ length: one.length - WINDOW_LENGTH + 1 }, (_, at) =>
            one.slice(at, at + WINDOW_LENGTH),
          ),
        ),
    )
  known.set(key, found)
  return found
}

/** Finds a piece of a secret in a text, ignoring case. */
function pieceIn(text: string, secrets: readonly string[]): string | undefined {
  const windows = windowsOf(secrets)
  const folded = fold(text)
  for (let at = 0; at + WINDOW_LENGTH <= folded.length; at++) {
    const piece = folded.slice(at, at + WINDOW_LENGTH)
    if (windows.has(piece)) return piece
  }
  return undefined
}

/** The same in a text that contains these encodings. */
export function pieceOf(
  text: string,
  secrets: readonly string[],
  ways: readonly SpellingName[],
): string | undefined {
  let readings = [text]
  for (let at = ways.length; at >= 0; at--) {
    for (const reading of readings) {
      const piece = pieceIn(reading, secrets)
      if (piece !== undefined) return piece
    }
    const way = ways[at - 1]
    if (way) readings = [...new Set(readings.flatMap((reading) => spellings[way].read(reading)))]
  }
  return undefined
}
