/** Text that is markup. Everything else is escaped where it is inserted. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

type Content = Html | string | number | false | null | undefined | readonly Content[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that HTML does not allow, not even escaped. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|\p{Cs}/gu

const escapeHtml = (text: string) =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')

function toMarkup(content: Content): string {
  if (content === null || content === undefined || content === false) return ''
  if (Array.isArray(content)) return content.map(toMarkup).join('')
  return content instanceof Html ? `${content}` : escapeHtml(`${content}`)
}

/** Makes markup of a template. Inserted texts are escaped, also for attributes in double quotes; `null` and `false` are left out. */
export const html = (parts: TemplateStringsArray, ...contents: Content[]): Html =>
  new Html(parts.reduce((text, part, index) => text + toMarkup(contents[index - 1]) + part))

/** A text in quotes for a style sheet. */
export const cssText = (text: string): Html =>
  new Html(`"${text.replace(/[^\p{L}\p{N} ]/gu, (char) => `\\${char.codePointAt(0)?.toString(16)} `)}"`)
