import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pages, renderPage } from '../../../scripts/pages'
import { headingsIn, read, tablesIn } from '../../support/documents'
import { root } from '../../support/package'

const page = (target: string) => readFileSync(join(root, target), 'utf8')

describe('the pages served by Node-RED', () => {
  it('join Japanese lines without a blank, in paragraphs and in list items', async () => {
    const text =
      '一行目の\n続き。\n\n- 項目の\n  続き\n- 次の項目\n\n1. 手順の\n   続き\n\n| 表 |\n| --- |\n| 値 |\n'
    const html = await renderPage({ language: 'ja', source: 'docs/ja/x.md', target: 'x.html' }, text)
    for (const joined of [
      '<p>一行目の続き。</p>',
      '<li>項目の続き</li>',
      '<li>次の項目</li>',
      '<li>手順の続き</li>',
    ]) {
      assert.ok(html.includes(joined), joined)
    }
    assert.equal(html.match(/<tr>/g)?.length, 2)
  })

  for (const { source, target } of pages) {
    it(`${target} shows all of ${source}`, () => {
      const html = page(target)
      const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
      const rows = tablesIn(read(source)).flat().length
      assert.equal(count(/<h[1-6] /g), headingsIn(read(source)).length)
      assert.equal(count(/<tr>/g), rows)
      // Markdown that was not converted would be visible.
      const prose = html.replace(/<(pre|code|style)>[\s\S]*?<\/\1>/g, '')
      assert.doesNotMatch(prose, /\*\*|\]\(|(?:^|\s)_\w|`/m)
    })

    it(`${target} has no broken links or marks, and loads nothing`, () => {
      const html = page(target)
      assert.doesNotMatch(html, /<!--|<(?:script|img|link|iframe)\b|\bsrc=|@import|url\(/)
      for (const [, href = ''] of html.matchAll(/ href="([^"]*)"/g)) {
        if (/^https:/.test(href)) continue
        const [path = '', anchor] = href.split('#')
        const linked = path === '' ? target : join(dirname(target), path)
        assert.ok(existsSync(join(root, linked)), href)
        if (anchor !== undefined) assert.ok(page(linked).includes(` id="${anchor}"`), href)
      }
    })
  }
})
