/** Maximum length of a text. The service's names, units and alert texts are much shorter. */
const MAX_LENGTH = 10_000

/** A NUL, or one half of a surrogate pair. */
const SUSPECT = /[\0\ud800-\udfff]/

/**
 * Makes a text safe to store: truncates it to 10,000 UTF-16 units, and replaces each NUL and unpaired surrogate with
 * U+FFFD. PostgreSQL rejects a complete statement that contains one of these, and SQLite truncates the text at it.
 */
export function sanitizeText(text: string): string {
  const cut = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text
  // Nearly all texts are safe, and testing is cheaper than replacing.
  if (!SUSPECT.test(cut)) return cut
  return cut.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
