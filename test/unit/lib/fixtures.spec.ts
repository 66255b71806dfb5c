import assert from 'node:assert/strict'
import { endpoints } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import {
  bodyOf,
  type Expected,
  expectedOf,
  type Fixture,
  fixtures,
  receive,
} from '../../support/response-fixtures'

/** The properties of an error that are also in `named`. */
function pick(all: object, named: object = {}): object {
  return Object.fromEntries(Object.keys(named).map((key) => [key, all[key as keyof typeof all]]))
}

async function outcomeOf(fixture: Fixture, { request, error, quota }: Expected): Promise<Partial<Expected>> {
  try {
    const { payload, failed, quota: reported } = await receive(fixture.endpoint, bodyOf(fixture), request)
    return { payload, ...(failed.length > 0 && { failed }), ...(quota && { quota: reported }) }
  } catch (caught) {
    if (!(caught instanceof EnvlogError)) throw caught
    const { code, reason, params, cause } = caught
    return {
      error: {
        code,
        reason,
        ...(error?.params && { params: pick(params, error.params) as typeof params }),
        ...(error?.cause && { cause: pick(cause, error.cause) as typeof cause }),
      },
    }
  }
}

describe('responses in fixture files', () => {
  for (const fixture of fixtures) {
    it(fixture.name, async () => {
      const { why, request, ...expected } = expectedOf(fixture)
      assert.notEqual('payload' in expected, 'error' in expected, 'payload or error')
      assert.deepEqual(await outcomeOf(fixture, { why, ...(request && { request }), ...expected }), expected)
    })
  }

  it('exist for every endpoint', () => {
    const used = new Set(fixtures.map(({ endpoint }) => endpoint))
    assert.deepEqual([...used].sort(), Object.keys(endpoints).sort())
  })
})
