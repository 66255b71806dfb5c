import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuiltNode, helpOf, nodes } from '../support/built'
import { packageJson, root } from '../support/package'

const JAPANESE = /[\u3040-\u30ff\u4e00-\u9fff]/
/** Node-RED's usual headings, in their order. */
const HEADINGS = { Inputs: '入力', Outputs: '出力', Details: '詳細', References: '参考' }
const ORDER = Object.keys(HEADINGS)
/** Help is shown beside the flow: longer texts belong in the documents. */
const MAX_WORDS = 350
/** Where Node-RED serves a module's `resources/`. */
const RESOURCES = `resources/${packageJson.name}/`

function bodyOf(node: BuiltNode, language: string): string {
  const match = helpOf(node, language).match(
    /^<script type="text\/html" data-help-name="([^"]+)">\n([\s\S]*)<\/script>\s*$/,
  )
  assert.equal(match?.[1], node.type)
  return match?.[2] ?? ''
}

const headingsOf = (body: string) => [...body.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, text = '']) => text)

/** For each heading, the number of terms, paragraphs and code samples. */
function outline(body: string): string[] {
  const sections = body.split('<h3>')
  return sections.map((section) => {
    const count = (tag: string) => section.match(new RegExp(`<${tag}\\b`, 'g'))?.length ?? 0
    return ['h4', 'p', 'dt', 'dd', 'pre', 'li', 'table'].map((tag) => `${tag} ${count(tag)}`).join(', ')
  })
}

/** Code that users type or search for: the same in every language, except sample texts. */
function codesIn(body: string): string[] {
  const codes = [...body.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = '']) => code)
  return [...new Set(codes)].toSorted()
}

for (const node of nodes) {
  describe(`the help of ${node.type}`, () => {
    const english = bodyOf(node, 'en-US')
    const japanese = bodyOf(node, 'ja')

    it('begins with the sentence that is the tooltip', () => {
      for (const body of [english, japanese]) assert.match(body, /^<p>[^<]+<\/p>\n/)
    })

    it('has the usual parts in the usual order', () => {
      const headings = headingsOf(english)
      assert.deepEqual(
        headings,
        ORDER.filter((heading) => headings.includes(heading)),
      )
      assert.ok(headings.includes('Details'))
      const needed = node.type === 'envlog-account' ? [] : ['Inputs', 'Outputs']
      for (const heading of needed) assert.ok(headings.includes(heading), heading)
    })

    it('has the same parts in both languages', () => {
      const translated = headingsOf(english).map((heading) => HEADINGS[heading as keyof typeof HEADINGS])
      assert.deepEqual(headingsOf(japanese), translated)
      assert.deepEqual(outline(japanese), outline(english))
      assert.deepEqual(codesIn(japanese), codesIn(english))
    })

    it('is short', () => {
      const words = english
        .replace(/<[^>]+>/g, ' ')
        .split(/\s+/)
        .filter(Boolean)
      assert.ok(words.length < MAX_WORDS, `${words.length} words`)
    })

    it('links to pages of its language that are in the package', () => {
      const linksOf = (body: string) =>
        [...body.matchAll(/<a href="([^"]*)" target="_blank">/g)].map(([, href = '']) => href)
      const [links, linksJa] = [linksOf(english), linksOf(japanese)]
      assert.ok(links.length > 0)
      assert.deepEqual(
        linksJa,
        links.map((href) => href.replace('/docs/', '/docs/ja/')),
      )
      for (const href of [...links, ...linksJa]) {
        assert.ok(href.startsWith(RESOURCES), href)
        const [path = '', anchor] = href.slice(RESOURCES.length).split('#')
        const page = join(root, 'resources', path)
        assert.ok(existsSync(page), href)
        if (anchor !== undefined) assert.ok(readFileSync(page, 'utf8').includes(`id="${anchor}"`), href)
      }
    })

    it('is in the language of its file', () => {
      const paragraphs = [...japanese.matchAll(/<(p|dd)>([\s\S]*?)<\/\1>/g)].map(([, , text = '']) => text)
      assert.ok(paragraphs.length > 0)
      assert.deepEqual(
        paragraphs.filter((text) => !JAPANESE.test(text)),
        [],
      )
      assert.doesNotMatch(english, JAPANESE)
    })

    it('is well-formed html and loads nothing', () => {
      for (const body of [english, japanese]) {
        const tags = [...body.matchAll(/<(\/?)([a-z]\w*)\b[^>]*>/g)].filter(([, , tag]) => tag !== 'br')
        const open: string[] = []
        for (const [, closing, tag = ''] of tags) {
          if (closing) assert.equal(open.pop(), tag)
          else open.push(tag)
        }
        assert.deepEqual(open, [])
        assert.doesNotMatch(body, /<(?:img|script|style|link|iframe)\b|\ssrc=|\son\w+=|style=/i)
      }
    })
  })
}
