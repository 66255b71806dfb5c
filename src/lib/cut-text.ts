/** The first characters of a text. It does not end in half a character, which databases refuse. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  // A character has at most two UTF-16 units.
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('')
}
