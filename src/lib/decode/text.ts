/** No name, unit or alert text of the service is longer; the bound keeps a hostile one from making work downstream. */
const MAX_LENGTH = 10_000

/** A NUL, or either half of a surrogate pair. */
const SUSPECT = /[\0\ud800-\udfff]/

/**
 * Makes a text safe to store: it is cut to 10,000 UTF-16 units, and each NUL and unpaired surrogate becomes U+FFFD.
 * PostgreSQL refuses a whole statement for one of these; SQLite cuts the text there.
 */
export function sanitizeText(text: string): string {
  const cut = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text
  // Nearly all texts are safe, and testing is cheaper than replacing.
  if (!SUSPECT.test(cut)) return cut
  return cut.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
