import assert from 'node:assert/strict'
import { type FleetDevice, faultyKinds, isUnreadable, isUnreadableAlert, type Layout } from './fleet/members'
import { type FleetRun, type Phase, type Report, runFleet } from './fleet/run'

const COUNT = 120
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Duration of a round of alerts at 12 requests per hour, plus one more device. */
const ALERT_ROUNDS = 30 * HOUR

fleet('scattered', [
  { days: 1, repeat: 600 },
  { days: 9, repeat: 10_800 },
])
fleet('side by side', [{ days: 2, repeat: 1200 }])

function fleet(layout: Layout, phases: readonly Phase[]): void {
  const days = phases.reduce((sum, phase) => sum + phase.days, 0)

  describe(`${COUNT} devices, a third of them faulty and ${layout}, for ${days} days`, function () {
    this.timeout(600_000)
    let lived: FleetRun
    const good = () => lived.members.filter(({ kind }) => kind === 'good')
    const bad = () => lived.members.filter(({ kind }) => kind !== 'good')
    const reportsOf = ({ serial }: FleetDevice, node: string) =>
      lived.reports.filter(({ device, node: from }) => device?.serial === serial && from === node)

    before(async () => {
      lived = await runFleet(COUNT, layout, phases)
      const records = [...lived.arrived].flatMap(([key, lines]) => (key.startsWith('latest') ? lines : []))
      const failed = (lived.ended.get('latest') ?? []).filter(({ error }) => error)
      const requests = Object.values(lived.counts).reduce((sum, { total }) => sum + total, 0)
      const reported = {
        records: records.length,
        requests,
        polls: lived.ended.get('latest')?.length,
        failed: failed.length,
        reports: lived.reports.length,
        wall: `${(lived.wall / SECOND).toFixed(1)} s`,
      }
      console.log(`      ${layout}: ${JSON.stringify(reported)}`)
    })

    it('deliver every record of the good devices once and in order', () => {
      const last = phases.at(-1)?.repeat ?? 0
      for (const { serial } of good()) {
        assertWhole(
          serial,
          lived.records.get(serial) ?? [],
          'latest',
          lived.now - 2 * last * SECOND - 5 * MINUTE,
        )
      }
    })

    it('deliver every alert of the good devices once and in order', () => {
      for (const member of good()) {
        assertWhole(member.serial, alertLines(member), 'alerts', lived.now - ALERT_ROUNDS)
      }
    })

    it('deliver each current reading of the good devices once', () => {
      for (const { serial } of good()) {
        const times = (lived.arrived.get(`current ${serial}`) ?? []).map(Number)
        assert.ok(times.length > days * 7, `${serial}: ${times.length} readings`)
        assert.deepEqual(
          times,
          [...new Set(times)].sort((a, b) => a - b),
          serial,
        )
      }
    })

    it('deliver the readable part of the devices with unreadable entries', () => {
      const last = phases.at(-1)?.repeat ?? 0
      for (const member of bad().filter(({ kind }) => kind === 'partly')) {
        const { serial } = member
        const records = (lived.records.get(serial) ?? []).filter(
          (line) => !isUnreadable(timeOf(line) / SECOND),
        )
        assertWhole(serial, records, 'latest', lived.now - 2 * last * SECOND - 5 * MINUTE)
        const alerts = alertLines(member).filter((line) => !isUnreadableAlert(timeOf(line) / SECOND))
        assertWhole(serial, alerts, 'alerts', lived.now - ALERT_ROUNDS)
      }
    })

    it('deliver nothing from the other faulty devices', () => {
      for (const { serial, kind } of bad()) {
        if (kind === 'partly') continue
        for (const node of ['latest', 'alerts'])
          assert.deepEqual(lived.arrived.get(`${node} ${serial}`) ?? [], [])
      }
    })

    it('never make a good device wait longer than one extra round', () => {
      const late: string[] = []
      let start = lived.now - days * DAY
      for (const phase of phases) {
        const end = start + phase.days * DAY
        const most = 2 * phase.repeat * SECOND + 5 * MINUTE
        for (const { serial } of good()) {
          const times = (lived.requestedAt.get(serial) ?? []).filter((at) => at >= start && at < end)
          const gaps = [...times, end].map((at, index) => at - (times[index - 1] ?? start))
          const longest = Math.max(...gaps)
          if (longest > most)
            late.push(`${serial}: ${Math.round(longest / MINUTE)} min, polled every ${phase.repeat / 60}`)
        }
        start = end
      }
      assert.deepEqual(late.slice(0, 3), [], `${late.length} of ${good().length} wait too long`)
    })

    it('never report a good device', () => {
      const serials = new Set(good().map(({ serial }) => serial))
      const wrong = lived.reports.filter(({ device }) => device && serials.has(device.serial))
      assert.deepEqual(wrong.slice(0, 3).map(inShort), [], `${wrong.length}`)
    })

    it('report each faulty device with its code', () => {
      for (const member of bad()) {
        if (member.kind === 'good') continue
        const { code, reported } = faultyKinds[member.kind]
        for (const node of ['latest', 'alerts']) {
          const reports = reportsOf(member, node)
          assert.deepEqual(
            [...new Set(reports.map(({ error }) => error.code))],
            [code],
            `${node} ${member.kind}`,
          )
          assert.deepEqual(reports[0]?.device, { serial: member.serial, base: member.base })
          if (reported === 'always') assertEachRound(member, node, reports)
        }
      }
    })

    it('report a device that is always refused once per process of Node-RED', () => {
      for (const member of bad().filter(({ kind }) => kind === 'refused')) {
        const count = reportsOf(member, 'latest').length
        assert.ok(count >= 1 && count <= phases.length, `${member.serial}: ${count} in ${days} days`)
      }
    })

    it('report a device with unreadable entries once until Node-RED restarts', () => {
      for (const member of bad().filter(({ kind }) => kind === 'partly')) {
        for (const node of ['latest', 'alerts', 'current']) {
          assert.equal(reportsOf(member, node).length, 1, `${node} ${member.serial}`)
        }
      }
    })

    it('never exceed the quota', () => {
      for (const [endpoint, { over, refused }] of Object.entries(lived.counts)) {
        assert.deepEqual({ over, refused }, { over: 0, refused: 0 }, endpoint)
      }
    })

    /** Everything up to that time has arrived; later records may have. */
    function assertWhole(serial: string, truth: readonly string[], node: string, settledAt: number): void {
      const arrived = lived.arrived.get(`${node} ${serial}`) ?? []
      const settled = truth.filter((line) => timeOf(line) < settledAt)
      assert.ok(arrived.length >= settled.length, `${node} ${serial}: ${arrived.length} of ${settled.length}`)
      const wrong = arrived.findIndex((line, index) => line !== truth[index])
      assert.equal(arrived[wrong], truth[wrong], `${node} ${serial} at ${wrong}`)
    }

    /** Each successful round reported it once; a failed round may have. */
    function assertEachRound({ serial, kind }: FleetDevice, node: string, reports: readonly Report[]): void {
      const rounds = lived.ended.get(node) ?? []
      const ended = rounds.filter(({ error }) => !error).length
      const least = Math.min(ended, days)
      // One round may be in progress.
      const most = rounds.length + 1
      const { length } = reports
      assert.ok(length >= least && length <= most, `${node} ${serial} ${kind}: ${length} of ${rounds.length}`)
    }
  })
}

const timeOf = (line: string) => Number(line.slice(0, line.indexOf(' ')))

const alertLines = ({ definition }: FleetDevice): string[] =>
  (definition.alerts as { unixtime: number; texts: Record<string, string> }[]).map(
    ({ unixtime, texts }) => `${unixtime * SECOND} ${texts.ch1}`,
  )

const inShort = ({ node, error, device }: Report) =>
  `${node} ${error.code} ${error.message} ${device?.serial}`
