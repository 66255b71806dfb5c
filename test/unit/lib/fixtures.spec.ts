import assert from 'node:assert/strict'
import { buildPath } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import {
  bodyOf,
  type Expected,
  expectedOf,
  type Fixture,
  isEndpoint,
  listFixtures,
  receive,
} from '../../support/response-fixtures'

const MIN_FIXTURES = 60
const fixtures = listFixtures()

/** The properties of an error that are also in `named`. */
function pick(all: object, named: object = {}): object {
  return Object.fromEntries(Object.keys(named).map((key) => [key, all[key as keyof typeof all]]))
}

async function outcomeOf(fixture: Fixture, { request, error, quota }: Expected): Promise<Partial<Expected>> {
  const { endpoint } = fixture
  try {
    const outcome = await receive(endpoint, bodyOf(fixture), request)
    assert.equal(outcome.requests[0], `https://service.example${buildPath(endpoint, 'relay')}`)
    assert.equal(outcome.requests.filter((url) => url === outcome.requests[0]).length, 1, 'requested once')
    const { payload, failed } = outcome
    return { payload, ...(failed.length > 0 && { failed }), ...(quota && { quota: outcome.quota }) }
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
    const { name, endpoint, bodies } = fixture
    it(name, async () => {
      assert.ok(isEndpoint(endpoint), `${name}: no endpoint is called ${endpoint}`)
      assert.equal(bodies.length, 1, `${name}: one body, not ${bodies.join(', ') || 'none'}`)
      assert.ok(fixture.expected, `${name}: ${bodies[0]} has no ${name}.expected.json`)
      const { why, request, ...expected } = expectedOf(fixture)
      assert.ok(why, `${name}: states why it is here`)
      assert.notEqual('payload' in expected, 'error' in expected, `${name}: payload or error`)
      if (bodies[0]?.endsWith('.json')) {
        assert.doesNotThrow(
          () => JSON.parse(bodyOf(fixture).toString()),
          `${name}: a body that is not JSON has the extension .txt`,
        )
      }
      assert.deepEqual(
        await outcomeOf(fixture, { why, ...(request && { request }), ...expected }),
        expected,
        undefined,
      )
    })
  }

  it('are numerous', () =>
    assert.ok(fixtures.length >= MIN_FIXTURES, `${fixtures.length} of at least ${MIN_FIXTURES}`))

  it('exist for every endpoint', () => {
    const endpoints = new Set(fixtures.map(({ endpoint }) => endpoint))
    assert.deepEqual([...endpoints].sort(), [
      'alert',
      'current',
      'data',
      'data-relay',
      'latest-data',
      'latest-data-relay',
    ])
  })
})
