import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { headingsIn, read } from '../../support/documents'
import { root } from '../../support/package'

const folders = ['src', 'simulator', 'demo', 'scripts', 'test']
/** A document, a comma, and one or more headings in asterisks. */
const CITATION = /([\w/-]+\.md), (\*[^*]+\*(?:(?:, | and )\*[^*]+\*)*)/g

function citationsIn(file: string): { document: string; heading: string }[] {
  const text = read(file).replace(/\s*\n\s*(?:\*|\/\/)? ?/g, ' ')
  return [...text.matchAll(CITATION)].flatMap(([, document = '', headings = '']) =>
    [...headings.matchAll(/\*([^*]+)\*/g)].map(([, heading = '']) => ({ document, heading })),
  )
}

describe('comments', () => {
  it('refer only to headings that exist', () => {
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|js|html|css)$/.test(file))
        .map((file) => join(folder, file)),
    )
    const citations = files.flatMap((file) => citationsIn(file).map((citation) => ({ file, ...citation })))
    assert.ok(citations.length > 0)
    const wrong = citations.filter(
      ({ document, heading }) => !headingsIn(read(document)).some(({ text }) => text === heading),
    )
    assert.deepEqual(wrong, [])
  })
})
