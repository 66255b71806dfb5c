/** No name, unit or alert is longer; what is cut is not missed, and cannot make work for everybody behind. */
const LONGEST = 10_000

/** A NUL, or any surrogate. */
const DOUBTFUL = /[\0\ud800-\udfff]/

/**
 * Text as databases take it: a NUL, and half of a surrogate pair, become U+FFFD. PostgreSQL refuses a whole
 * statement for one of them, SQLite cuts the text there.
 */
export function sanitizeText(text: string): string {
  // Nearly all of them are: looking is cheaper than replacing.
  const kept = text.length > LONGEST ? text.slice(0, LONGEST) : text
  if (!DOUBTFUL.test(kept)) return kept
  return kept.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
