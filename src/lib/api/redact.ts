/**
 * Makes a function that takes an account's secrets out of any text. Errors pass through it when they are
 * made, because the service's or a proxy's words may repeat what was sent.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const spellings = new Set<string>()
  for (const given of secrets) {
    // Half a surrogate pair cannot be sent, nor be spelt in the ways below.
    const secret = Buffer.from(given).toString()
    if (secret === '') continue
    spellings.add(secret)
    spellings.add(JSON.stringify(secret).slice(1, -1))
    spellings.add(encodeURIComponent(secret))
    spellings.add(Buffer.from(secret).toString('base64'))
  }
  // Longest first: a short secret inside a longer one must not leave the rest of it standing.
  const ordered = [...spellings].sort((a, b) => b.length - a.length)
  return (text) => ordered.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
