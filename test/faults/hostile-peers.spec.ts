import assert from 'node:assert/strict'
import { freezer } from '../support/devices'
import type { Ended } from '../support/hostile-peers/cell'
import { isRoute, TIMEOUT } from '../support/hostile-peers/flows'
import { type Asker, askers, endsOf, type HostilePeer } from '../support/hostile-peers/peer'
import { peers, startTable, type Table } from '../support/hostile-peers/table'
import type { State } from '../support/hostile-peers/victim'

const STARTING_MS = 60_000
/** All of them, before the last is told. */
const ALL_MS = 180_000
const SLACK_MS = 2000
/** A whole answer may take so many times the account's Timeout. */
const TOTAL = 10
/** 50 alone on a machine, where the longest is 54; three times that where others use all its processors. */
const LONGEST_STOP_MS = 150
const MEMORY = 50_000_000

describe('every way to ask the service, against peers that behave as no service should', function () {
  this.timeout(ALL_MS)
  let table: Table
  before(async function () {
    this.timeout(STARTING_MS)
    table = await startTable()
  })
  after(() => table.close())

  /** In ms, waits between tries included. */
  function longest({ timeouts = TOTAL, retries }: HostilePeer, asker: Asker): number {
    const requests = (retries?.requests ?? 1) * (asker === 'account test' ? 2 : 1)
    return requests * timeouts * TIMEOUT * 1000 + SLACK_MS
  }

  const told = ({ how, ms, text }: Ended) => `${how} after ${Math.round(ms)} ms: ${text.slice(0, 1000)}`

  for (const peer of peers) {
    for (const asker of askers) {
      it(`a peer that ${peer.title}: ${asker} ends as documented, in time, and is answered when it is mended`, async () => {
        const { ended, asked, open, mended, running, stop } = await table.outcome(peer, asker)
        const last = ended.at(-1) as Ended
        // Behind the last cut the answer is whole.
        const failures = peer.kind === 'cut' ? ended.slice(0, -1) : ended
        if (peer.kind === 'cut') assert.equal(last.how, 'ok', told(last))
        const documented: readonly string[] = endsOf(peer, asker)
        for (const end of failures) assert.ok(documented.includes(end.how), told(end))
        for (const end of ended) {
          assert.ok(end.ms < longest(peer, asker), told(end))
          assert.deepEqual(
            end.about.filter((serial) => serial !== freezer.serial && isChosen(peer, asker)),
            [],
            'nothing is sent about a device that nobody chose',
          )
        }
        if (peer.retries) assert.equal(asked, peer.retries.requests)
        else if (last.how !== 'ok' && !isRoute(asker)) assert.ok(asked <= 1, `asked ${asked} times`)
        assert.ok(open <= (peer.keeps ?? 0), `${open} connections are still open`)
        assert.equal(mended.how, 'ok', `mended: ${told(mended)}`)
        assert.ok(mended.about.includes(freezer.serial), 'mended, it is answered')
        assert.equal(running, 0, 'nothing is on its way')
        if (stop !== undefined) {
          assert.ok(stop < LONGEST_STOP_MS + table.floor, `the event loop stood still for ${stop} ms`)
        }
      })
    }
  }

  /** Routes and `all` bring every device there is. */
  const isChosen = (peer: HostilePeer, asker: Asker) => !isRoute(asker) && peer.kind !== 'cut'

  describe('after all of them', () => {
    let state: State
    before('is over', async () => {
      state = await table.after()
    })

    it('Node-RED still runs: no rejection was left alone', () =>
      assert.equal(table.victim.ended(), undefined))

    it('each failed trigger was told once', async () => {
      for (const { peer, asker, id } of table.cells) {
        if (isRoute(asker)) continue
        const { ended, mended } = await table.outcome(peer, asker)
        const failed = [...ended, mended].filter(({ how }) => how !== 'ok')
        assert.equal(state.caught[id] ?? 0, failed.length, `${peer.title}: ${asker}`)
      }
    })

    it('no secret was told, neither in errors nor in the log nor in a status', async () => {
      const shown = [table.victim.log(), ...state.statuses].join('\n')
      for (const { peer, asker, account } of table.cells) {
        const { ended, mended } = await table.outcome(peer, asker)
        const text = [shown, ...[...ended, mended].map((end) => end.text)].join('\n')
        for (const secret of [account.apiKey, account.loginPass, account.referencePass]) {
          for (const form of [
            secret,
            JSON.stringify(secret).slice(1, -1),
            encodeURIComponent(secret),
            Buffer.from(secret).toString('base64'),
          ])
            assert.ok(!text.includes(form), `${peer.title}: ${asker}: ${form}`)
        }
      }
    })

    it('nobody followed a redirect', () => assert.equal(table.elsewhere(), 0))

    it('memory is back within 50 MB, and no socket is left', () => {
      const more = state.memory - table.before.memory
      assert.ok(more < MEMORY, `${Math.round(more / 1e6)} MB more`)
      assert.ok(state.sockets <= table.before.sockets, `${state.sockets} sockets`)
    })

    it('no answer has changed what every object has', () => assert.ok(!state.polluted))
  })
})
