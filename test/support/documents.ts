/**
 * Parses the documents: links, headings, code, tables. Supports only the Markdown that they use.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toAnchor } from '../../scripts/pages'
import { root } from './package'

export interface Code {
  language: string
  text: string
}

interface Link {
  /** as in the text: a path, `#anchor`, or a URL */
  target: string
  text: string
  isPicture: boolean
}

interface Heading {
  level: number
  text: string
}

/** Rows of cells, the header first. */
type MarkdownTable = string[][]

const FOLDERS = ['.', 'docs', 'docs/decisions', 'docs/ja', 'examples', 'scripts/bench', 'simulator', 'src']
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm

/** Paths relative to the root. */
export const documents = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
)

export const read = (file: string) => readFileSync(join(root, file), 'utf8')

export function codeIn(text: string): Code[] {
  return [...text.matchAll(FENCE)].map(([, language = '', body = '']) => ({ language, text: body }))
}

/** A text without its fenced code. */
const prose = (text: string) => text.replace(FENCE, '')

/** Inline code in sentences and tables. */
export function wordsOfCodeIn(text: string): string[] {
  return [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word)
}

/** Lines of paragraphs and list items that continue on the next line. */
export function brokenLinesIn(text: string): string[] {
  const found = prose(text).matchAll(/^(?![#|]).+$(?=\n(?! *(?:-|\d+\.) )[^#|\n])/gm)
  return [...found].map(([line]) => line)
}

export function linksIn(text: string): Link[] {
  const found = prose(text)
    .replace(/`[^`\n]*`/g, (word) => word.replace(/[[\]()<>]/g, ' '))
    .matchAll(/(!?)\[([^\]]*)\]\((?:<([^>]*)>|([^)\s]*))\)/g)
  return [...found].map(([, mark, words = '', spaced, plain = '']) => ({
    target: spaced ?? plain,
    text: words,
    isPicture: mark === '!',
  }))
}

export function headingsIn(text: string): Heading[] {
  const found = prose(text).matchAll(/^(#+) (.*)$/gm)
  return [...found].map(([, marks = '', words = '']) => ({ level: marks.length, text: words }))
}

/** Anchors of headings as on GitHub and npm. */
export function anchorsIn(text: string): string[] {
  return headingsIn(text).map((heading) => toAnchor(heading.text))
}

/** The text under a heading, up to the next heading of the same or a higher level. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start < 0) throw new Error(`no heading ${heading}`)
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0
  const end = lines.findIndex((line, at) => at > start && (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level)
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n')
}

export function tablesIn(text: string): MarkdownTable[] {
  const found = prose(text).matchAll(/(?:^\|.*\|$\n?)+/gm)
  return [...found].map(([table]) =>
    table
      .trim()
      .split('\n')
      .filter((line) => !/^\|[\s:|-]+\|$/.test(line))
      .map(cellsIn),
  )
}

/** The cells of a row of a table. */
export const cellsIn = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

/** Rows, without the header, of a section's only table whose first column begins with code. */
export function tableRows(text: string): MarkdownTable {
  return tablesIn(text)
    .flatMap((table) => table.slice(1))
    .filter(([first = '']) => first.startsWith('`'))
}

/** Removes the backticks from a cell that consists of code only. */
export function uncoded(cell: string): string {
  return /^`([^`]*)`$/.exec(cell)?.[1] ?? cell
}
