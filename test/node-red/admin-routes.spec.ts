import assert from 'node:assert/strict'
import { type AdminResponse, useAdminHarness } from '../support/admin/admin-harness'
import { type Person, people, WITHOUT_ADMIN_AUTH } from '../support/admin/people'
import {
  ALL_TYPED,
  FOREIGN_ORIGIN,
  headersOf,
  isSent,
  JSON_TYPE,
  type Origin,
  origins,
  secretSources,
  sourceNames,
  types,
} from '../support/admin/requests'
import {
  type AddressRow,
  addresses,
  connections,
  type SecretsRow,
  secrets,
} from '../support/admin/typed-accounts'
import { pairwise } from '../support/pairwise'

/** Each route with the permission that it needs. A registered route that is not here fails the test. */
const routes = {
  'GET /envlog/accounts/:id/quota': 'canRead',
  'GET /envlog/stores': 'canRead',
  'POST /envlog/devices': 'canRequest',
  'POST /envlog/test': 'canRequest',
  'POST /envlog/report': 'canRequest',
} as const
const names = Object.keys(routes) as (keyof typeof routes)[]
const asking = names.filter((name) => routes[name] === 'canRequest')

describe('the admin routes', function () {
  this.timeout(30_000)
  const harness = useAdminHarness()
  const [nobody] = people as [Person]
  const admin = people.at(-1) as Person
  const [writer, colleague] = people.filter(({ canRequest }) => canRequest) as [Person, Person]

  interface Typed {
    account?: object
    /** Properties besides the account. */
    more?: object
    type?: string
    origin?: Origin
    headers?: Record<string, string>
  }

  /** With the deployed account, unless given otherwise. */
  function request(route: string, who: Person, typed: Typed = {}): Promise<AdminResponse> {
    const {
      account = harness.typedAccount(),
      more = { anew: true },
      type = JSON_TYPE,
      origin = 'absent',
      headers,
    } = typed
    const isPost = route.startsWith('POST')
    return harness.request({
      ...{
        route,
        who,
        headers: { ...headersOf(isPost ? type : 'none', origin, harness.urlFor(who)), ...headers },
      },
      ...(isPost && { body: harness.withPorts(JSON.stringify({ account, ...more })) }),
    })
  }

  const untouched = () => assert.deepEqual(harness.newConnections(), { connected: [], requests: 0 })

  function refused({ status, text }: AdminResponse, expected: number): void {
    assert.equal(status, expected, text)
    untouched()
  }

  /** Checks that all answers are identical. */
  function same(answers: readonly AdminResponse[]): string {
    const different = new Set(answers.map(({ status, text }) => `${status} ${text}`))
    assert.equal(different.size, 1, [...different].join('\n'))
    return [...different].join()
  }

  beforeEach(() => {
    harness.newConnections()
  })

  it('are exactly those in the table', () => {
    assert.deepEqual([...harness.routes].sort(), [...names].sort())
  })

  it('have no other method', async () => {
    for (const path of new Set(names.map((name) => name.split(' ')[1]))) {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].map((method) => `${method} ${path}`)
      for (const route of others.filter((one) => !(names as string[]).includes(one))) {
        refused(await request(route, admin), 404)
      }
    }
  })

  for (const route of names) {
    const need = routes[route]
    describe(route, () => {
      for (const who of [...people, WITHOUT_ADMIN_AUTH]) {
        it(who[need] ? `lets in ${who.title}` : `does not let in ${who.title}`, async () => {
          const answer = await request(route, who)
          if (!who[need]) return refused(answer, 401)
          assert.equal(answer.status, 200, answer.text)
          assert.equal(harness.newConnections().requests > 0, need === 'canRequest')
        })
      }

      it('does not let in who spells it otherwise', async () => {
        const upper = route.toUpperCase().replace(':ID', ':id')
        for (const other of [upper, `${route}/`, `${route}?access_token=made-up`]) {
          refused(await request(other, nobody, { headers: { 'x-http-method-override': 'GET' } }), 401)
        }
      })

      it('accepts no cookie as a login', async () => {
        const headers = { cookie: 'access_token=x; connect.sid=x; user=*' }
        refused(await request(route, nobody, { origin: 'foreign', headers }), 401)
      })
    })
  }

  const spelled = (type: string) => (type === 'none' ? 'what has none' : type || 'a blank one')

  for (const route of asking) {
    describe(`${route}, by its content type`, () => {
      for (const [type, isTaken] of Object.entries(types)) {
        it(`${isTaken ? 'takes' : 'does not take'} ${spelled(type)}`, async () => {
          for (const who of [admin, WITHOUT_ADMIN_AUTH]) {
            const answer = await request(route, who, { type })
            if (!isTaken) refused(answer, 415)
            else assert.equal(answer.status, 200, answer.text)
          }
        })
      }
    })
  }

  describe('to a page of any origin', () => {
    const shared = ({ headers }: AdminResponse) =>
      Object.entries(headers).filter(([name]) => name.startsWith('access-control') || name === 'vary')

    for (const origin of origins) {
      it(`have the same CORS headers as Node-RED’s own routes: ${origin}`, async () => {
        for (const who of [admin, WITHOUT_ADMIN_AUTH]) {
          const own = await request('GET /flows', who, { origin })
          for (const route of names) {
            const answer = await request(route, who, { origin })
            assert.equal(answer.status, 200, answer.text)
            assert.deepEqual(shared(answer), shared(own))
          }
        }
      })
    }

    it('answer preflight requests like Node-RED’s own routes, and never allow cookies', async () => {
      const headers = {
        origin: FOREIGN_ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,authorization',
      }
      for (const who of [admin, WITHOUT_ADMIN_AUTH]) {
        const own = await harness.request({ route: 'OPTIONS /flows', who, headers })
        for (const route of names) {
          const answer = await harness.request({ route: route.replace(/^\w+/, 'OPTIONS'), who, headers })
          assert.deepEqual([answer.status, shared(answer)], [own.status, shared(own)])
          assert.equal(answer.headers['access-control-allow-credentials'], undefined)
        }
      }
      untouched()
    })
  })

  describe('at the deployed address, with secrets', () => {
    for (const { title, typed, credentials, outcome } of secrets) {
      it(`${title}: ${outcome}`, async () => {
        for (const route of asking) {
          const answer = await request(route, admin, { account: harness.typedAccount(typed, credentials) })
          if (outcome === 'works') {
            assert.equal(answer.status, 200, answer.text)
            assert.deepEqual(harness.newConnections().connected, [harness.withPorts('127.0.0.1:SERVICE')])
          } else {
            refused(answer, 400)
            assert.equal(JSON.parse(answer.text).reason, outcome)
          }
        }
      })
    }
  })

  /** Checks the result of a request, and that nothing else happened. */
  async function check(
    route: string,
    who: Person,
    row: AddressRow,
    how: keyof typeof secretSources,
    more: Typed = {},
  ) {
    const account = harness.typedAccount({ baseUrl: row.address }, secretSources[how].credentials)
    const answer = await request(route, who, { ...more, account })
    if (!who.canRequest) return refused(answer, 401)
    if (!types[more.type ?? JSON_TYPE]) return refused(answer, 415)
    if (!isSent(how, row.kind)) {
      refused(answer, 400)
      const { reason } = JSON.parse(answer.text)
      return assert.match(reason, /^(?:secrets-needed|setting-invalid|account-incomplete)$/)
    }
    assert.equal(answer.status, row.answers ? 200 : 502, answer.text)
    assert.deepEqual(harness.newConnections().connected, [
      harness.withPorts(row.reaches ?? '127.0.0.1:SERVICE'),
    ])
  }

  describe('at an address that is typed', () => {
    for (const row of addresses) {
      const taken = sourceNames.filter((how) => isSent(how, row.kind))
      const title = JSON.stringify(row.address)
      it(`send ${taken.length > 0 ? `secrets that are ${taken.join(' or ')}` : 'nothing'} to ${title}`, async () => {
        for (const route of asking) {
          for (const how of sourceNames) await check(route, admin, row, how)
        }
      })
    }
  })

  describe('by TLS and proxy that are typed', () => {
    for (const { title, typed, isStored, outcome, reaches } of connections) {
      it(`${title}: ${outcome}`, async () => {
        for (const route of asking) {
          const account = harness.typedAccount(typed, isStored ? {} : ALL_TYPED)
          const { status, text } = await request(route, admin, { account })
          const statuses: Record<string, number> = { works: 200, 'no-certificate': 502 }
          assert.equal(status, statuses[outcome] ?? 400, text)
          if (outcome !== 'works') assert.equal(JSON.parse(text).reason, outcome)
          assert.deepEqual(harness.newConnections().connected, reaches.map(harness.withPorts))
        }
      })
    }
  })

  describe('with any two of route, content type, Origin, secrets and address together', () => {
    const chosen = (kind: AddressRow['kind'], most: number) =>
      addresses.filter((row) => row.kind === kind).slice(0, most)
    const columns = {
      who: [...people, WITHOUT_ADMIN_AUTH],
      route: asking,
      type: Object.keys(types),
      origin: origins,
      how: sourceNames,
      address: [...chosen('as deployed', 2), ...chosen('another', 4), ...chosen('refused', 6)],
    }
    // Also with permitted users: a refusal hides other results.
    const letIn = columns.who.filter(({ canRequest }) => canRequest)
    const taken = columns.type.filter((type) => types[type])
    const rows = [...pairwise(columns), ...pairwise({ ...columns, who: letIn, type: taken })]
    for (const who of [...people, WITHOUT_ADMIN_AUTH]) {
      it(`apply the rules of each: ${who.title}`, async () => {
        for (const row of rows.filter((one) => one.who === who)) {
          await check(row.route, who, row.address, row.how, row)
        }
      })
    }
  })

  describe('to who guesses', () => {
    const wrong: SecretsRow['credentials'][] = [
      { ...ALL_TYPED, loginPass: 'wrong' },
      { ...ALL_TYPED, loginId: 'wrong' },
      { ...ALL_TYPED, loginId: 'wrong', loginPass: 'wrong' },
      { apiKey: 'wrong', loginId: 'wrong', loginPass: 'wrong' },
    ]
    const list = (who: Person, account: object, more: object) =>
      request('POST /envlog/devices', who, { account, more })

    it('answer the same for a wrong password, an unknown login or account, after one request each', async () => {
      const answers: AdminResponse[] = []
      for (const [route, id] of asking.flatMap((one) =>
        ['account', 'other', 'nobody', ''].map((id) => [one, id]),
      )) {
        for (const credentials of wrong) {
          answers.push(
            await request(route as string, writer, { account: harness.typedAccount({ id }, credentials) }),
          )
          assert.deepEqual(harness.newConnections(), {
            connected: [harness.withPorts('127.0.0.1:SERVICE')],
            requests: 1,
          })
        }
      }
      assert.match(same(answers), /^502 .*"login-refused"/)
    })

    it('answer the same for right and wrong secrets if the others are stored, without a request', async () => {
      const parts = secrets.filter(({ title }) => title.endsWith('the rest stored'))
      const answers: AdminResponse[] = []
      for (const id of ['account', 'variables', 'disabled', 'broker', 'nobody', '']) {
        for (const { credentials } of parts) {
          const account = harness.typedAccount({ id }, credentials)
          for (const route of asking) answers.push(await request(route, writer, { account }))
          answers.push(await list(writer, account, { known: true }))
        }
      }
      assert.match(same(answers), /^400 .*"secrets-needed"/)
      untouched()
    })

    it('cache responses per user: no other user can try a password without a request to the service', async () => {
      // A login that was not used before.
      const { referenceId: loginId, referencePass: loginPass } = harness.simulator.account
      const right = harness.typedAccount({}, { apiKey: 'right', loginId, loginPass })
      const mistaken = harness.typedAccount({}, { apiKey: 'right', loginId, loginPass: 'wrong' })
      for (const account of [right, harness.typedAccount()]) {
        assert.equal((await list(writer, account, { anew: true })).status, 200)
      }
      harness.newConnections()
      assert.notEqual((await list(writer, right, { known: true })).text, 'null')
      for (const account of [right, mistaken]) {
        assert.equal((await list(colleague, account, { known: true })).text, 'null')
      }
      untouched()
      assert.equal((await list(colleague, right, {})).status, 200)
      assert.equal(harness.newConnections().requests, 1)
    })

    it('accept the right password after any number of wrong ones', async () => {
      for (let count = 0; count < 20; count++) {
        await request('POST /envlog/test', writer, { account: harness.typedAccount({}, wrong[0]) })
      }
      assert.equal(harness.newConnections().requests, 20)
      for (const credentials of [ALL_TYPED, {}]) {
        const { status } = await request('POST /envlog/test', writer, {
          account: harness.typedAccount({}, credentials),
        })
        assert.equal(status, 200)
      }
    })

    it('answer the same for all ids that are no account, and nothing without permission', async () => {
      const ids = ['nobody', 'disabled', 'broker', 'action', '__proto__', '..%2F..', '%00']
      const answers: AdminResponse[] = []
      for (const route of ids.map((id) => `GET /envlog/accounts/${id}/quota`)) {
        answers.push(await request(route, admin))
        refused(await request(route, writer), 401)
      }
      assert.match(same(answers), /^404 .*"no-account"/)
    })
  })

  describe('after all of it', () => {
    it('leave no secret in the log', () => {
      const { apiKey, loginPass } = harness.simulator.account
      for (const secret of [apiKey, loginPass]) assert.ok(!harness.logs().includes(secret))
    })
  })
})
