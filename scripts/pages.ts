/**
 * Converts the documents to pages that Node-RED serves (`resources/` of an installed package), so that the links in the
 * nodes' help work without internet.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = dirname(__dirname)

/** Folders of `docs/` that are not languages; users do not need the decisions. */
const OTHERS = ['decisions', 'images']
/** Users do not need the assumptions about the service. */
const isForUsers = (file: string) => file.endsWith('.md') && file !== 'service.md'
/** The folder of each language in `docs/`; English is at the top level. */
const translations = readdirSync(join(root, 'docs'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !OTHERS.includes(entry.name))
  .map(({ name }) => [name, name])
const LANGUAGES: Record<string, string> = { en: '', ...Object.fromEntries(translations) }

interface Page {
  language: string
  /** path of the Markdown file, relative to the root */
  source: string
  /** path of the page, relative to the root */
  target: string
}

export const pages: readonly Page[] = Object.entries(LANGUAGES).flatMap(([language, folder]) =>
  readdirSync(join(root, 'docs', folder))
    .filter(isForUsers)
    .map((file) => ({
      language,
      source: join('docs', folder, file),
      target: join('resources', 'docs', folder, file.replace(/\.md$/, '.html')),
    })),
)

export async function writePages(): Promise<void> {
  for (const page of pages) {
    const target = join(root, page.target)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, await renderPage(page, readFileSync(join(root, page.source), 'utf8')))
  }
}

const STYLE = `body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif;color-scheme:light dark}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top}
code,pre{font:14px/1.5 ui-monospace,monospace;background:#8882}code{padding:.1em .3em}pre{padding:1rem;overflow-x:auto}pre code{padding:0;background:none}`

export async function renderPage({ language, source }: Page, text: string): Promise<string> {
  const title = /^# (.*)$/m.exec(text)?.[1] ?? 'envlog'
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} – envlog</title>
<style>${STYLE}</style>
</head>
<body>
${await renderMarkdown(text, source)}
</body>
</html>
`
}

const escapeHtml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/** The anchor of a heading, as on GitHub. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** A mark for `settings-tables.ts`. */
const MARK = /<!-- hint --> /g

async function renderMarkdown(text: string, source: string): Promise<string> {
  // An ECMAScript module, which these scripts can load only at run time.
  const { Marked } = await import('marked')
  const markdown = new Marked({
    renderer: {
      heading({ depth, tokens, text: heading }) {
        return `<h${depth} id="${toAnchor(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return renderLink(this.parser.parseInline(tokens), href, source)
      },
    },
  })
  return markdown.parse(joinJapaneseLines(text.replace(MARK, '')), { async: false }).trim()
}

/**
 * Removes line breaks between Japanese characters, which HTML would show as spaces. List items continue after an
 * indent.
 */
const joinJapaneseLines = (text: string) =>
  text.replace(/([\u3000-\u9fff\uff00-\uffef])\n *(?=[\u3000-\u9fff\uff00-\uffef])/g, '$1')

/** Links another document by its page. For any other file, shows its name after the text of the link. */
function renderLink(words: string, target: string, source: string): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return `<a href="${escapeHtml(target)}">${words}</a>`
  const [path = '', anchor] = target.split('#')
  const file = relative(root, resolve(root, dirname(source), decodeURIComponent(path)))
  const page = pages.find((candidate) => candidate.source === file)
  if (!page) return existsSync(join(root, file)) ? `${words} (<code>${file}</code>)` : words
  const href = path.replace(/\.md$/, '.html') + (anchor === undefined ? '' : `#${anchor}`)
  return `<a href="${href}">${words}</a>`
}
