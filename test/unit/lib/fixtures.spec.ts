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
} from '../../support/answer-fixtures'

/**
 * Known peculiarities of responses (docs/service.md) → fixtures that show them, by the beginning of their names: first
 * those observed, then the special cases of the API description.
 */
const topics: Record<string, readonly string[]> = {
  'number or text': [
    'current--numbers-not-text',
    'latest-data--numeric-text',
    'latest-data--number-and-text-mixed',
    'latest-data-relay--numbers-not-text',
    'data--numeric-text',
    'data-relay--numeric-text',
    'alert--numbers',
  ],
  "offsets' spelling": [
    'current--offsets-hyphenated',
    'latest-data--offsets-hyphenated',
    'latest-data-relay--offsets-underscored',
    'data--numeric-text-hyphenated',
    'data-relay--offsets-underscored',
    'alert--numbers-underscored',
  ],
  'dst-flg': ['latest-data-relay--dst-', 'latest-data-relay--dst-flag-missing', 'alert--dst-'],
  'dst_bias without a flag': ['current--dst-bias-without-flag', 'alert--dst-flag-missing'],
  'local time': ['current--zones', 'latest-data-relay--dst-on-with-std-bias', 'alert--dst-on'],
  'num of a standalone device': ['current--as-described', 'current--standalone-num-1'],
  'channel[].num from 0 or 1': [
    'current--channels-from-zero',
    'latest-data--as-described',
    'latest-data--channels-from-one',
    'latest-data--channels-zero-and-two',
    'latest-data--channels-from-zero-without-a-zero',
    'alert--channels-from-zero',
  ],
  'channels with holes': [
    'current--channels-one-and-three',
    'latest-data--channels-one-and-three',
    'data-relay--numeric-text',
    'alert--channels-one-and-three',
  ],
  'group 0 with a name': ['current--group-zero-with-name'],
  'baseunit and group: array, []': [
    'current--group-and-baseunit-arrays',
    'current--group-and-baseunit-empty',
  ],
  'blank is missing': ['current--blank-is-missing', 'latest-data--values-blank', 'alert--texts-blank'],
  'error text in value': ['current--error-texts'],
  'error text in records': [
    'latest-data--error-texts',
    'latest-data-relay--as-described',
    'latest-data--csv2',
  ],
  'record order': ['latest-data--newest-first', 'latest-data--shuffled', 'data-relay--shuffled'],
  spacing: ['latest-data--steps-of-601'],
  battery: ['current--battery-'],
  'serial under two base units': ['current--same-serial-two-bases'],
  'hostile names': ['current--hostile', 'data--hostile', 'alert--hostile'],

  'bounds inclusive': ['data--bounds-inclusive'],
  'csv2 on latest-data': ['latest-data--csv2'],

  'code 400': ['current--status-400', 'data--status-400', 'alert--status-400'],
  'code 401': ['current--status-401'],
  'code 403': ['current--status-403'],
  'code 415': ['current--status-415', 'data-relay--status-415'],
  'code 503': ['current--status-503', 'data--status-503'],
  'code as text': ['data--status-400-code-as-text'],
  "a message in the host's language": ['current--status-401-japanese', 'data--status-503-japanese'],
  'over the limit': ['current--status-429', 'data--status-429', 'alert--status-429'],
  'X-RateLimit-Reset': ['data--as-described', 'data--rate-headers-doubled', 'current--status-429'],
  'X-RateLimit-Remaining-DataCount': ['data--as-described', 'data--status-429-records'],
  'Array of an unknown serial': [
    'latest-data--csv2-status-200-array-word',
    'data-relay--csv2-status-200-array-word',
    'latest-data--status-200-array-word',
    'alert--status-200-array-word',
  ],
  'rate headers absent or odd': ['data--rate-headers-odd', 'data--rate-headers-absent'],
  CSV: ['latest-data--csv2', 'latest-data-relay--csv', 'data--csv', 'data-relay--csv2-spaces-in-quotes'],

  'up to four and six channels': [
    'current--six-channels',
    'latest-data-relay--as-described',
    'alert--several-texts',
  ],
  'channels only in records': [
    'latest-data--channels-only-in-records',
    'data-relay--channels-only-in-records',
  ],
  'empty channel list': ['current--channels-empty', 'latest-data--channels-empty', 'alert--channels-empty'],
  'missing fields': ['current--fields-missing', 'current--offsets-missing', 'data--channel-list-missing'],
  'zones of half an hour, and negative': ['current--zones', 'latest-data--offsets-hyphenated-negative'],
  'id gaps': ['latest-data--id-gap', 'data--repeats-and-gap'],
  'ids that start over': ['latest-data-relay--ids-wrap', 'data-relay--wrap'],
  'ids that are all 0': ['latest-data--ids-all-zero', 'data-relay--ids-all-zero'],
  'a device that began again': [
    'latest-data--restart',
    'latest-data-relay--restart',
    'data-relay--restart-and-gap',
  ],
  'equal times': ['latest-data--equal-times', 'latest-data-relay--equal-times-at-wrap', 'alert--equal-times'],
  'exact repeats': ['latest-data--exact-repeats', 'data--repeats'],
  'blank and 0 times': [
    'current--time-blank-or-zero',
    'latest-data--times-blank-or-zero',
    'data--times-blank',
  ],
  'empty answers': [
    'current--no-devices',
    'latest-data--no-records',
    'data--csv-without-records',
    'alert--no-entries',
  ],
  'alert kinds': [
    'alert--kinds-english',
    'alert--kinds-japanese',
    'alert--kinds-ambiguous',
    'alert--battery',
    'alert--communication',
  ],
  'several texts in one entry': ['alert--several-texts-in-one-entry'],
  'extra fields': ['current--extra-fields', 'latest-data--record-fields-extra'],
  'byte order mark': ['current--bom', 'latest-data--csv2', 'alert--status-400-bom'],
  'odd numbers': ['current--odd-numbers', 'current--number-beyond-range', 'data--odd-numbers'],
  'status 200 and no answer': [
    'current--status-200-null',
    'current--status-200-error-object',
    'current--status-200-html',
    'current--status-200-truncated',
    'current--status-200-empty',
    'current--status-200-number',
    'current--status-200-string',
    'data--status-200-truncated',
  ],
}

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

  for (const [topic, prefixes] of Object.entries(topics)) {
    it(`cover: ${topic}`, () => {
      const absent = prefixes.filter((prefix) => !fixtures.some(({ name }) => name.startsWith(prefix)))
      assert.deepEqual(absent, [], 'no fixture begins with this')
    })
  }
})
