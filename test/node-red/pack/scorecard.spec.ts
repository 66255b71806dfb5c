import assert from 'node:assert/strict'
import { evaluate, type Facts, isGood } from '../../../scripts/score-rules'

const NAMES = ['P01', 'P03', 'P04', 'P05', 'P06', 'P07', 'P08', 'N01', 'N02', 'D01', 'D02', 'D03']
const all = Object.fromEntries(NAMES.map((name) => [name, { test: true }]))
const facts: Facts = { hasAddress: true, newestRuns: () => true }
const failing = (card: object, more: Partial<Facts> = {}, strict = false) =>
  evaluate({ ...all, ...card }, { ...facts, ...more }, strict)
    .filter((verdict) => !isGood(verdict))
    .map(({ rule, outcome }) => `${outcome} ${rule.slice(0, 3)}`)

describe('the evaluation of the score card', () => {
  it('accepts a card whose rules pass', () => {
    assert.deepEqual(failing({}), [])
  })

  for (const name of NAMES) {
    it(`reports that ${name} fails, or is missing`, () => {
      assert.deepEqual(failing({ [name]: { test: false } }), [`fails ${name}`])
      assert.deepEqual(failing({ [name]: undefined }), [`missing ${name}`])
    })
  }

  it('excuses a missing address, but not in a release', () => {
    const card = { P03: { test: false } }
    assert.deepEqual(failing(card, { hasAddress: false }), [])
    assert.deepEqual(failing(card, { hasAddress: false }, true), ['fails P03'])
  })

  it('excuses an older dependency only if the newest does not run on the oldest Node.js', () => {
    const card = { D03: { test: false, packages: ['undici'] } }
    assert.deepEqual(failing(card, { newestRuns: () => false }, true), [])
    assert.deepEqual(failing(card, { newestRuns: () => true }), ['fails D03'])
    const two = { D03: { test: false, packages: ['undici', 'valibot'] } }
    assert.deepEqual(failing(two, { newestRuns: (name) => name === 'valibot' }), ['fails D03'])
  })
})
