/**
 * The documents as pages that Node-RED itself hands out (`resources/` of an installed package), so that the links in the
 * nodes' help open without internet. Only the Markdown that the documents use is understood.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = dirname(__dirname)

/** Documents by language; `path` of each from `docs/`, without its ending. */
const LANGUAGES: Record<string, string> = { en: '', ja: 'ja' }

interface Page {
  language: string
  /** of the Markdown file, from the root */
  source: string
  /** of the page, from the root */
  target: string
}

export function pages(): Page[] {
  return Object.entries(LANGUAGES).flatMap(([language, folder]) =>
    readdirSync(join(root, 'docs', folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => ({
        language,
        source: join('docs', folder, file),
        target: join('resources', 'docs', folder, file.replace(/\.md$/, '.html')),
      })),
  )
}

export function writePages(): void {
  for (const page of pages()) {
    const target = join(root, page.target)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, pageOf(page, readFileSync(join(root, page.source), 'utf8')))
  }
}

const STYLE = `body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif;color-scheme:light dark}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top}
code,pre{font:14px/1.5 ui-monospace,monospace;background:#8882}code{padding:.1em .3em}pre{padding:1rem;overflow-x:auto}pre code{padding:0;background:none}`

function pageOf({ language, source }: Page, text: string): string {
  const title = /^# (.*)$/m.exec(text)?.[1] ?? 'envlog'
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} – envlog</title>
<style>${STYLE}</style>
</head>
<body>
${htmlOf(text, source)}
</body>
</html>
`
}

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/** As GitHub makes them of headings. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Blocks: fences, tables, lists, headings, paragraphs. */
function htmlOf(text: string, source: string): string {
  const words = (part: string) => inline(part, source)
  const blocks = text.split(/(^```[\s\S]*?^```$)/m).flatMap((part, index) => {
    if (index % 2 === 1) return [`<pre><code>${escaped(part.replace(/^```.*\n|```$/g, ''))}</code></pre>`]
    return part.split(/\n{2,}/).map((block) => blockOf(block.trim(), words))
  })
  return blocks.filter((block) => block !== '').join('\n')
}

function blockOf(block: string, words: (text: string) => string): string {
  const [, marks, heading = ''] = /^(#+) (.*)/.exec(block) ?? []
  if (marks) {
    const rest = blockOf(block.split('\n').slice(1).join('\n').trim(), words)
    return `<h${marks.length} id="${anchorOf(heading)}">${words(heading)}</h${marks.length}>${rest && `\n${rest}`}`
  }
  if (block.startsWith('|')) return table(block, words)
  const [, bullet] = /^(-|\d+\.) /.exec(block) ?? []
  if (bullet) {
    const items = block.split(/^(?:-|\d+\.) /m).slice(1)
    const tag = bullet === '-' ? 'ul' : 'ol'
    return `<${tag}>\n${items.map((item) => `<li>${words(joined(item))}</li>`).join('\n')}\n</${tag}>`
  }
  return block && `<p>${words(joined(block))}</p>`
}

/** Lines of a paragraph; Japanese has no space where a line ends. */
const joined = (text: string) =>
  text.trim().replace(/(\S)\n\s*(\S)/g, (_, before: string, after: string) => {
    const isDense = /[\u3000-\u9fff\uff00-\uffef]/
    return isDense.test(before) && isDense.test(after) ? before + after : `${before} ${after}`
  })

function table(block: string, words: (text: string) => string): string {
  const [header = '', , ...rows] = block.split('\n')
  const cells = (row: string, tag: string) =>
    row
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => `<${tag}>${words(cell.trim())}</${tag}>`)
      .join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
  return `<table>\n<thead><tr>${cells(header, 'th')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>`
}

/** Code, links, bold and italic; what stands in code is left alone. */
function inline(text: string, source: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : emphasis(escaped(part), source),
    )
    .join('')
}

const emphasis = (text: string, source: string) =>
  text
    .replace(
      /\[([^\]]*)\]\((?:&lt;(.*?)&gt;|([^)\s]*))\)/g,
      (_, words: string, spaced?: string, plain = '') => link(words, spaced ?? plain, source),
    )
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[^\w])_([^_]+)_(?!\w)/g, '$1<em>$2</em>')

/** Another document is another page; what is no page is named by its file. */
function link(words: string, target: string, source: string): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return `<a href="${target}">${words}</a>`
  const [path = '', anchor] = target.split('#')
  const file = relative(root, resolve(root, dirname(source), decodeURIComponent(path)))
  const page = pages().find((one) => one.source === file)
  if (!page) return existsSync(join(root, file)) ? `${words} (<code>${file}</code>)` : words
  const href = path.replace(/\.md$/, '.html') + (anchor === undefined ? '' : `#${anchor}`)
  return `<a href="${href}">${words}</a>`
}
