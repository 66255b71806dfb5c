import assert from 'node:assert/strict'
import { withLocalTimes } from '../../../src/editor/samples'

const at = (instant: number) => ({ time: new Date(instant).toISOString(), timestamp: instant })
const series = {
  topic: 'envlog/5839F001/5212A1B2',
  payload: { utcOffset: 540, records: [at(Date.UTC(2026, 10, 20, 7)), at(Date.UTC(2026, 10, 20, 8))] },
  envlog: { receivedAt: '2026-11-20T08:00:05.123Z' },
}

/** The series in a form with these settings. */
function shown(zone: string) {
  const { payload } = withLocalTimes(series, zone) as {
    payload: { utcOffset: number; records: { time: string }[] }
  }
  return [payload.records.at(-1)?.time, payload.utcOffset]
}

describe('the example message with local times', () => {
  it("has those of the account's time zone, or of its device if there is none or it is invalid", () => {
    assert.deepEqual(shown('Europe/Berlin'), ['2026-11-20T09:00:00.000+01:00', 60])
    for (const zone of ['', 'Europe/Ber'])
      assert.deepEqual(shown(zone), ['2026-11-20T17:00:00.000+09:00', 540])
  })

  it('has the local start of statistics', () => {
    const row = { time: '2026-11-19T08:00:00.000Z', localtime: '2026-11-19T17:00:00.000+09:00' }
    assert.deepEqual(withLocalTimes({ payload: [row] }, 'Europe/Berlin'), {
      payload: [{ ...row, localtime: '2026-11-19T09:00:00.000+01:00' }],
    })
  })

  it('is otherwise the same', () => {
    const { envlog, topic } = series as Record<string, unknown>
    const local = withLocalTimes(series, 'Europe/Berlin') as Record<string, unknown>
    assert.deepEqual([local.envlog, local.topic], [envlog, topic])
  })
})
