import assert from 'node:assert/strict'
import { alertResponse, type Json, readAlerts } from '../responses'

describe('an alert log', () => {
  it('reverses entries with the same time together with the others', () => {
    const at = (unixtime: number, ch1: string) => ({ unixtime, ch1 })
    const texts = (entries: Json[]) =>
      readAlerts(alertResponse({ 'alert-logs': entries }))
        .alerts.map(({ text }) => text)
        .join('')
    const newestFirst = [at(30, 'd'), at(20, 'c'), at(20, 'b'), at(10, 'a')]
    assert.equal(texts(newestFirst), 'abcd')
    assert.equal(texts(newestFirst.toReversed()), 'abcd')
    assert.equal(texts([at(20, 'c'), at(20, 'b')]), 'bc', 'the sample in the description is newest first')
  })
})
