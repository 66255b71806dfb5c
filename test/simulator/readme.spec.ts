import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { helpText } from '../../simulator/cli-flags'
import { faultKinds } from '../../simulator/faults'
import { described } from '../../simulator/variants'

describe('simulator: README', () => {
  const readme = readFileSync('simulator/README.md', 'utf8')
  const flags = [...helpText().matchAll(/^ {2}(?:-\w, | {4})(--[\w-]+)/gm)].map((match) => match[1] as string)

  it('names every flag, variant and fault', () => {
    assert.ok(flags.length > 10)
    const names = [...flags, ...Object.keys(described), ...faultKinds]
    assert.deepEqual(
      names.filter((name) => !readme.includes(`\`${name}`)),
      [],
    )
  })
})
