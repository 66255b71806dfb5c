/**
 * Text as databases take it: a NUL, and half of a surrogate pair, become U+FFFD. PostgreSQL refuses a whole
 * statement for one of them, SQLite cuts the text there.
 */
export function storable(text: string): string {
  return text.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
