/** Parses JSON; `undefined` if the text is not valid JSON. Valid JSON never yields `undefined`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Removes a byte order mark, which some hosts put at the beginning of responses. */
export function stripBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
