/** A NUL, or any surrogate. */
const DOUBTFUL = /[\0\ud800-\udfff]/

/**
 * Text as databases take it: a NUL, and half of a surrogate pair, become U+FFFD. PostgreSQL refuses a whole
 * statement for one of them, SQLite cuts the text there.
 */
export function storable(text: string): string {
  // Nearly all of them are: looking is cheaper than replacing.
  if (!DOUBTFUL.test(text)) return text
  return text.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
