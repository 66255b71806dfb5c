/** Maximum number of elements of a list, and of lines of a text. */
const MAX_ELEMENTS = 20

/** Shortens the lists and texts of a message for display. `… +280` stands for 280 elements or lines. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string') return shortenText(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shorten(field)]))
  const elements = value.slice(0, MAX_ELEMENTS).map(shorten)
  return value.length > MAX_ELEMENTS ? [...elements, restOf(value.length)] : elements
}

function shortenText(text: string): string {
  const lines = text.trimEnd().split('\n')
  if (lines.length <= MAX_ELEMENTS) return text
  return [...lines.slice(0, MAX_ELEMENTS), restOf(lines.length)].join('\n')
}

const restOf = (length: number) => `… +${length - MAX_ELEMENTS}`
