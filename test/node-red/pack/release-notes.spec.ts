import assert from 'node:assert/strict'
import { releaseNotes } from '../../../scripts/release-notes'

const changelog = `# Changelog

## 0.2.0 (not released)

- More.

## 0.1.0 (2026-11-30)

- The first.

### Later

- Things.

## 0.0.9 (2026-11-01)
`
const notes = (version: string, tag = `v${version}`, locked = version) =>
  releaseNotes(tag, version, locked, changelog)

describe('the notes of a release', () => {
  it("are the version's section of the changelog", () => {
    assert.equal(notes('0.1.0'), '- The first.\n\n### Later\n\n- Things.\n')
  })

  it('are refused if tag, version, lock file and changelog do not agree', () => {
    assert.throws(() => notes('0.1.0', 'v0.1.1'), /tag is v0\.1\.1/)
    assert.throws(() => notes('0.1.0', 'v0.1.0', '0.0.9'), /package-lock\.json says 0\.0\.9/)
    assert.throws(() => notes('0.3.0'), /no section of 0\.3\.0/)
    assert.throws(() => notes('0.1'), /no section/)
    assert.throws(() => notes('0.2.0'), /not released/)
    assert.throws(() => notes('0.0.9'), /says nothing/)
  })
})
