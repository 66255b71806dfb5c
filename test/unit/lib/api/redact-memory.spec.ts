import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRedactor } from '../../../../src/lib/api/redact'

const create = () => createRedactor(['abcdefghij1234567890abcdef'], ['Password-123456'])

describe('what a redactor remembers', () => {
  it('is the cell of a CSV answer, and not the whole answer with it', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed / 1e6
    }
    const rows = '"2026-01-01 00:00:00","46000.5","21.5"\r\n'.repeat(50_000)
    const redactor = create()
    const before = heap()
    for (let device = 0; device < 20; device++) {
      const answer = Buffer.from(`"Date/Time","Date/Time","Cold room ${1000 + device}"\r\n${rows}`).toString()
      redactor.redactCsv(answer)
    }
    const more = heap() - before
    assert.ok(more < 10, `${more.toFixed(1)} MB are kept for 20 names`)
    assert.ok(redactor)
  })

  it('is whether the words of a row hold a secret, however many rows have the same words', () => {
    const rows = '"2026-01-01 00:00:00","46000.5","E0310","E0310"\r\n'.repeat(1000)
    const redactor = create()
    const { toLowerCase } = String.prototype
    let searches = 0
    String.prototype.toLowerCase = function (this: string) {
      searches++
      return toLowerCase.call(this)
    }
    try {
      assert.equal(redactor.redactCsv(rows), rows)
    } finally {
      String.prototype.toLowerCase = toLowerCase
    }
    assert.ok(searches < 100, `${searches} texts were searched for secrets`)
  })
})
