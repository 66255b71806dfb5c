import assert from 'node:assert/strict'
import { freezer } from '../support/devices'
import type { RequestResult } from '../support/hostile-peers/cell'
import { isRoute, TIMEOUT } from '../support/hostile-peers/flows'
import { documentedEnds, type HostilePeer, type Requester, requesters } from '../support/hostile-peers/peer'
import { type HostilePeerTable, peers, startTable } from '../support/hostile-peers/table'
import type { VictimState } from '../support/hostile-peers/victim-process'

const STARTING_MS = 60_000
/** Until the last cell has ended. */
const ALL_MS = 180_000
const SLACK_MS = 2000
/** The total time of an answer, as a multiple of the account's Timeout. */
const TOTAL = 10
/** A pattern that starts again at each character takes seconds; usual are 50 ms, and 170 on a slow machine. */
const MAX_STOP_MS = 500
const MEMORY = 50_000_000

describe('every kind of request, against misbehaving peers', function () {
  this.timeout(ALL_MS)
  let table: HostilePeerTable
  before(async function () {
    this.timeout(STARTING_MS)
    table = await startTable()
  })
  after(() => table.close())

  /** In ms, with the delays of retries. */
  function longest({ timeouts = TOTAL, retries }: HostilePeer, requester: Requester): number {
    const requests = (retries?.requests ?? 1) * (requester === 'account test' ? 2 : 1)
    return requests * timeouts * TIMEOUT * 1000 + SLACK_MS
  }

  const describeResult = ({ end, ms, text }: RequestResult) =>
    `${end} after ${Math.round(ms)} ms: ${text.slice(0, 1000)}`

  for (const peer of peers) {
    for (const requester of requesters) {
      it(`a peer that ${peer.title}: ${requester} ends as documented and in time, and works after its repair`, async () => {
        const { results, connections, open, afterRepair, running, longestStop } = await table.outcome(
          peer,
          requester,
        )
        const last = results.at(-1) as RequestResult
        // After the last cut the answer is complete.
        const failures = peer.kind === 'cut' ? results.slice(0, -1) : results
        if (peer.kind === 'cut') assert.equal(last.end, 'ok', describeResult(last))
        const documented: readonly string[] = documentedEnds(peer, requester)
        for (const end of failures) assert.ok(documented.includes(end.end), describeResult(end))
        for (const end of results) {
          assert.ok(end.ms < longest(peer, requester), describeResult(end))
          assert.deepEqual(
            end.serials.filter((serial) => serial !== freezer.serial && isChosen(peer, requester)),
            [],
            'nothing is sent about a device that was not chosen',
          )
        }
        if (peer.retries) assert.equal(connections, peer.retries.requests)
        else if (last.end !== 'ok' && !isRoute(requester))
          assert.ok(connections <= 1, `requested ${connections} times`)
        assert.ok(open <= (peer.maxOpen ?? 0), `${open} connections are still open`)
        assert.equal(afterRepair.end, 'ok', `mended: ${describeResult(afterRepair)}`)
        assert.ok(afterRepair.serials.includes(freezer.serial), 'mended, it is answered')
        assert.equal(running, 0, 'nothing is on its way')
        if (longestStop !== undefined) {
          assert.ok(
            longestStop < MAX_STOP_MS + table.baselineStop,
            `the event loop stood still for ${longestStop} ms`,
          )
        }
      })
    }
  }

  /** Routes and `all` return all devices. */
  const isChosen = (peer: HostilePeer, requester: Requester) => !isRoute(requester) && peer.kind !== 'cut'

  describe('after all misbehaving peers', () => {
    let state: VictimState
    before('is over', async () => {
      state = await table.after()
    })

    it('Node-RED still runs: no rejection was unhandled', () => assert.equal(table.victim.ended(), undefined))

    it('each failed trigger was reported once', async () => {
      for (const { peer, requester, id } of table.cells) {
        if (isRoute(requester)) continue
        const { results, afterRepair } = await table.outcome(peer, requester)
        const failed = [...results, afterRepair].filter(({ end }) => end !== 'ok')
        assert.equal(state.caught[id] ?? 0, failed.length, `${peer.title}: ${requester}`)
      }
    })

    it('no secret is in errors, log or statuses', async () => {
      const shown = [table.victim.log(), ...state.statuses].join('\n')
      for (const { peer, requester, account } of table.cells) {
        const { results, afterRepair } = await table.outcome(peer, requester)
        const text = [shown, ...[...results, afterRepair].map((end) => end.text)].join('\n')
        for (const secret of [account.apiKey, account.loginPass, account.referencePass]) {
          for (const form of [
            secret,
            JSON.stringify(secret).slice(1, -1),
            encodeURIComponent(secret),
            Buffer.from(secret).toString('base64'),
          ])
            assert.ok(!text.includes(form), `${peer.title}: ${requester}: ${form}`)
        }
      }
    })

    it('no redirect was followed', () => assert.equal(table.unrelatedConnections(), 0))

    it('memory is within 50 MB of before, and no socket is left', () => {
      const more = state.memory - table.before.memory
      assert.ok(more < MEMORY, `${Math.round(more / 1e6)} MB more`)
      assert.ok(state.sockets <= table.before.sockets, `${state.sockets} sockets`)
    })

    it('no answer has polluted Object.prototype', () => assert.ok(!state.polluted))
  })
})
