import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, startSimulator } from '../../simulator'
import type { RecordCursor } from '../../src/lib/collect/cursor'
import { decodeHeld } from '../../src/lib/collect/held-records'
import type { SavedDevice, SavedState } from '../../src/lib/collect/saved-state'
import { createRandom, seed } from '../support/chance'
import { startRestarting } from '../support/restarting'
import { until } from '../support/wait'
import { keyOf, type Row, startArchive, whenCollected } from './archive/archive'
import { fastClock } from './archive/clock'
import { differenceOf } from './archive/compare'
import { archiveFleet, sizeOf, trueRecordLines } from './archive/fleet'
import { archiveFlow, LATEST } from './archive/flow'

/** Number of kills of each kind; KILLS=50 takes five minutes. */
const kills = Number(process.env.KILLS ?? 6)
/** A second is two hours: if a start takes three seconds, the newest records do not reach back to the kill. */
const SPEED = 7200
const DEVICES = 8
const DAY = 86_400_000
const DAYS = 90
const FROM = Math.floor(Date.now() / 1000) * 1000 - DAYS * DAY
/** Two and a half rounds, so that a slow machine gets as far as a fast one. */
const REQUESTS = 20
/** Kills after these requests; a round starts every second. */
const KILL_WITHIN_MS = 1000
/** Rounds take time: a kill is as likely within a round as between two. */
const DELAY: Fault = { kind: 'delay', delay: 80 }
const STARTING_MS = 300_000
const A_CYCLE_MS = 30_000
const COLLECTED_MS = 300_000

describe(`kill -9 of Node-RED in the middle of collecting, ${kills} times`, function () {
  this.timeout(STARTING_MS + kills * A_CYCLE_MS + COLLECTED_MS)
  const opened: (() => Promise<void>)[] = []

  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close()
  })

  async function start(advance: 'sent' | 'acknowledged') {
    const own = `${seed} ${advance}`
    const random = createRandom(own)
    const clock = fastClock({ from: FROM, until: FROM + (DAYS - 1) * DAY, speed: SPEED })
    const fleet = archiveFleet(DEVICES, FROM, FROM)
    const simulator = await startSimulator({ clock, seed: own, limits: 'off', fleet, faults: [DELAY] })
    opened.push(() => simulator.close())
    const nodeRed = await startRestarting()
    opened.push(() => nodeRed.kill())
    const acknowledged = advance === 'acknowledged'
    const archive = await startArchive(random, { keyed: acknowledged })
    opened.push(() => archive.close())
    // Slow if all records must arrive, so that a delivery is always in progress.
    const options = { since: FROM, advance, alerts: false, atOnce: true, slow: acknowledged }
    await nodeRed.deploy(archiveFlow({ simulator, archive, ...options }))
    clock.begin()

    const requestCount = () => Object.values(simulator.counts()).reduce((sum, { total }) => sum + total, 0)
    async function killSometime(): Promise<void> {
      const enough = requestCount() + 1 + random.next() * REQUESTS
      await until('it is collecting', () => requestCount() >= enough, STARTING_MS)
      const instant = performance.now() + random.next() * KILL_WITHIN_MS
      await until('ready for the kill', () => performance.now() >= instant)
      await nodeRed.kill()
      await archive.whenAlone()
    }
    return { simulator, clock, nodeRed, archive, killSometime }
  }

  it('loses no record with receipts', async () => {
    const { simulator, clock, nodeRed, archive, killSometime } = await start('acknowledged')
    const sizes: number[] = []
    for (let times = 0; times < kills; times++) {
      await killSometime()
      sizes.push(archive.size())
      await nodeRed.start()
    }
    clock.stop()
    const expected = trueRecordLines(simulator)
    await whenCollected(archive, sizeOf(expected), COLLECTED_MS)
    const { devices, lines, ...wrong } = differenceOf(expected, archive.records())
    console.log(`      acknowledged: ${JSON.stringify({ devices, lines, sizes })}`)
    assert.deepEqual(wrong, { lost: 0, doubled: 0, invented: 0, misplaced: 0, examples: [] })
    assert.ok(new Set(sizes).size > kills / 4, 'it was collecting when it was killed')
  })

  it('repeats, without receipts, only what was delivered after the last write of its file', async () => {
    const { nodeRed, archive, killSometime } = await start('sent')
    const repeats: number[] = []
    let arrivals = 0
    let written: Delivered = new Map()
    const isTelling = () => written.size > 0 && Math.max(...repeats) > 0
    // More kills if by chance no record was delivered twice.
    for (let times = 0; times <= kills || (times <= 4 * kills && !isTelling()); times++) {
      if (times > 0) await nodeRed.start()
      await killSometime()
      const { again, twice } = repeatedAfter(arrivals, archive.rows())
      for (const { base, serial, time } of again) {
        const delivered = new Date(written.get(`${base}/${serial}`) ?? 0).toISOString()
        assert.ok(time > delivered, `${serial} ${time} was sent again; the file contained ${delivered}`)
      }
      assert.deepEqual(twice.slice(0, 3), [], 'sent twice without a kill in between')
      repeats.push(again.length)
      arrivals = archive.size()
      written = cursorsIn(nodeRed.userDir)
    }
    console.log(`      sent: ${JSON.stringify({ rows: arrivals, repeats })}`)
    assert.ok(isTelling(), 'the file was written, and something was sent twice')
  })
})

/** Rows after that arrival that already existed before it, and those that came twice after it. */
function repeatedAfter(arrival: number, rows: readonly Row[]): { again: Row[]; twice: Row[] } {
  const before = new Set(rows.slice(0, arrival).map(keyOf))
  const after = new Set<string>()
  const isTwice = (key: string) => after.size === after.add(key).size
  const later = rows.slice(arrival)
  return {
    again: later.filter((row) => before.has(keyOf(row))),
    twice: later.filter((row) => isTwice(keyOf(row))),
  }
}

/** Device → time of the last delivered record. */
type Delivered = Map<string, number>

/** The cursors in the file of the node. */
function cursorsIn(userDir: string): Delivered {
  const file = join(userDir, 'envlog', `${LATEST}.json`)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    // Killed before the first write.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
  const { devices } = JSON.parse(text) as SavedState
  const newest = (held: string) =>
    Math.max(0, ...(decodeHeld(held) ?? []).map(({ timestamp }) => timestamp ?? 0))
  const heldOf = ({ cursor }: SavedDevice) => (cursor as RecordCursor | undefined)?.held ?? ''
  return new Map(Object.entries(devices).map(([device, saved]) => [device, newest(heldOf(saved))]))
}
