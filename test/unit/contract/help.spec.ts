import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuiltNode, catalogOf, helpOf, languages, nodes } from '../../support/built'
import { packageJson, root } from '../../support/package'

/** Node-RED's usual sections, in order, with the headings that its own nodes use in other languages. */
const ORDER = ['Inputs', 'Outputs', 'Properties', 'Details', 'References']
const HEADINGS: Record<string, readonly string[]> = { ja: ['入力', '出力', 'プロパティ', '詳細', '参考'] }
const translations = languages.filter((language) => language !== 'en-US')
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

const linksIn = (body: string) =>
  [...body.matchAll(/<a href="([^"]*)" target="_blank">/g)].map(([, href = '']) => href)

/** Number of explained terms, paragraphs and samples under each heading. */
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

function assertInPackage(href: string): void {
  assert.ok(href.startsWith(RESOURCES), href)
  const [path = '', anchor] = href.slice(RESOURCES.length).split('#')
  const page = join(root, 'resources', path)
  assert.ok(existsSync(page), href)
  if (anchor !== undefined) assert.ok(readFileSync(page, 'utf8').includes(`id="${anchor}"`), href)
}

describe('the forms', () => {
  it('have a link to a page that is in the package, in the language of the editor', () => {
    for (const { name, form } of nodes) {
      assert.ok(
        form.includes(`<a class="envlog-docs"`) && form.includes(`data-i18n="[href]${name}.docs"`),
        name,
      )
    }
    for (const language of languages) {
      const addresses = [...catalogOf(language).values()].filter((text) => text.startsWith('resources/'))
      assert.ok(addresses.length >= nodes.length)
      addresses.forEach(assertInPackage)
      const folder = language === 'en-US' ? /docs\/\w+\.html/ : new RegExp(`docs/${language}/`)
      for (const address of addresses) assert.match(address, folder)
    }
  })
})

for (const node of nodes) {
  describe(`the help of ${node.type}`, () => {
    const english = bodyOf(node, 'en-US')
    const bodies = languages.map((language) => bodyOf(node, language))

    for (const language of translations) {
      const translated = bodyOf(node, language)

      it(`has the same sections in ${language} as in English`, () => {
        const headings = HEADINGS[language]
        assert.ok(headings, `HEADINGS in this test has no row for ${language}`)
        assert.deepEqual(
          headingsOf(translated),
          headingsOf(english).map((heading) => headings[ORDER.indexOf(heading)]),
        )
        assert.deepEqual(outline(translated), outline(english))
        assert.deepEqual(codesIn(translated), codesIn(english))
      })

      it(`links to the same pages in ${language}, in that language if they exist`, () => {
        const folder = existsSync(join(root, 'docs', language)) ? `/docs/${language}/` : '/docs/'
        assert.deepEqual(
          linksIn(translated),
          linksIn(english).map((href) => href.replace('/docs/', folder)),
        )
      })
    }

    it('has the hint of each setting, in the order of the form', () => {
      const keys = [...node.form.matchAll(/"\[title\]((?:[\w-]+\.hint-|hint\.)\w+)"/g)].map(
        ([, key = '']) => key,
      )
      assert.ok(keys.length > 0)
      for (const [index, body] of bodies.entries()) {
        const texts = catalogOf(languages[index] ?? '')
        const [, list = ''] = /<h3>(?:Properties|プロパティ)<\/h3>([\s\S]*?)<\/dl>/.exec(body) ?? []
        const hints = [...list.matchAll(/<dd>(.*)<\/dd>/g)].map(([, hint]) => hint)
        assert.deepEqual(
          hints,
          keys.map((key) => texts.get(key)),
        )
      }
    })

    it('links to pages that are in the package', () => {
      assert.ok(linksIn(english).length > 0)
      bodies.flatMap(linksIn).forEach(assertInPackage)
    })

    it('is well-formed and loads nothing', () => {
      for (const body of bodies) {
        const tags = [...body.matchAll(/<(\/?)([a-z]\w*)\b[^>]*>/g)].filter(
          ([, , tag]) => !/^w?br$/.test(tag ?? ''),
        )
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
