import { createHmac } from 'node:crypto'

/**
 * Stand-ins for names and serial numbers: of the same length, alphabet and script, always the same for one text, and
 * not to be traced back without the key, which nobody keeps.
 */
export interface StandIns {
  /** Adds a text that must not appear in what is shared. */
  protect(text: string): void
  /** The stand-in of a text: another one for another text, as long as its shape allows. */
  of(text: string): string
  /** A text of the same shape, for what is not a name. */
  mask(text: string): string
  /** True where the text holds a protected text, in any case and width. */
  reveals(text: string): boolean
}

/** Shorter texts are no secret: they stand in units, values and words as well. */
const MIN_PROTECTED_LENGTH = 3
/** Short digits are values as well. */
const MIN_PROTECTED_DIGITS = 6
const MAX_ATTEMPTS = 200

export function createStandIns(key: string): StandIns {
  const protectedTexts = new Map<string, Set<string>>()
  const standIns = new Map<string, string>()
  const taken = new Set<string>()

  function reveals(text: string): boolean {
    const folded = fold(text)
    for (let at = 0; at + MIN_PROTECTED_LENGTH <= folded.length; at++) {
      const candidates = protectedTexts.get(folded.slice(at, at + MIN_PROTECTED_LENGTH))
      if (candidates) for (const one of candidates) if (folded.startsWith(one, at)) return true
    }
    return false
  }

  /** A text of the same shape that reveals nothing, and that `isFree` accepts where the shape allows it. */
  function shape(text: string, isFree: (candidate: string) => boolean): string {
    // Without letters and digits there is nothing to replace.
    let found = Array.from(text).some(rowOf) || reveals(text) ? '' : text
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const candidate = replaceCharacters(text, key, attempt)
      if (candidate === text || reveals(candidate)) continue
      found = candidate
      if (isFree(candidate)) break
    }
    return found
  }

  return {
    protect(text) {
      const folded = fold(text)
      const isShort =
        folded.length < (/^[\d.+-]+$/.test(folded) ? MIN_PROTECTED_DIGITS : MIN_PROTECTED_LENGTH)
      if (isShort || !/[\p{L}\p{N}]/u.test(folded)) return
      const start = folded.slice(0, MIN_PROTECTED_LENGTH)
      const candidates = protectedTexts.get(start) ?? new Set()
      protectedTexts.set(start, candidates.add(folded))
    },
    of(text) {
      const known = standIns.get(text)
      if (known !== undefined) return known
      const found = shape(text, (candidate) => !taken.has(candidate))
      standIns.set(text, found)
      taken.add(found)
      return found
    },
    mask: (text) => (/[\p{L}\p{N}\p{So}]/u.test(text) ? shape(text, () => true) : text),
    reveals,
  }
}

/** Texts are compared without case, width and blanks around them. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().trim()

/** Characters by script: each is replaced by another of the same row. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[0-9]/, '0123456789'],
  [/[０-９]/, '０１２３４５６７８９'],
  [/\p{Nd}/u, '0123456789'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [/[ａ-ｚ]/, 'ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ'],
  [/[Ａ-Ｚ]/, 'ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ'],
  [/\p{Script=Hiragana}/u, 'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめも'],
  [/[\uff66-\uff9d]/, 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉ'],
  [/\p{Script=Katakana}/u, 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモ'],
  [/\p{Script=Han}/u, '山川田中木林森石水火土金東西南北上下左右大小高低前後内外春夏秋冬'],
  [/\p{Script=Hangul}/u, '가나다라마바사아자차카타파하'],
  [/\p{Script=Greek}/u, 'αβγδεζηθικλμνξοπρστυφχψω'],
  [/\p{Script=Cyrillic}/u, 'абвгдежзиклмнопрстуфхцчшщэюя'],
  [/(?=\p{L})\p{Script=Arabic}/u, 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  [/(?=\p{L})\p{Script=Hebrew}/u, 'אבגדהוזחטיכלמנסעפצקרשת'],
  [/(?=\p{L})\p{Script=Thai}/u, 'กขคงจฉชซญดตถทธนบปพฟมยรลวสหอ'],
  [/\p{Ll}/u, 'abcdefghijklmnopqrstuvwxyz'],
  [/\p{Lu}/u, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [/\p{L}/u, 'abcdefghijklmnopqrstuvwxyz'],
  [/\p{N}/u, '0123456789'],
  [/\p{So}/u, '□■○●△▲'],
]

/** Marks that belong to the character before them: the prolonged sound, and what is written above a letter. */
const KEPT = /[\u30fc\uff70\p{M}]/u

const rowOf = (character: string) =>
  KEPT.test(character) ? undefined : SCRIPTS.find(([pattern]) => pattern.test(character))?.[1]

function replaceCharacters(text: string, key: string, attempt: number): string {
  let bytes = Buffer.alloc(0)
  let used = 0
  let blocks = 0
  const nextByte = () => {
    if (used === bytes.length) {
      bytes = createHmac('sha256', key)
        .update(JSON.stringify([text, attempt, blocks++]))
        .digest()
      used = 0
    }
    return bytes[used++] as number
  }
  return Array.from(text, (character) => {
    const row = rowOf(character)
    if (!row) return character
    const choices = Array.from(row)
    return choices[nextByte() % choices.length]
  }).join('')
}
