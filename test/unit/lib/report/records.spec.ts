import assert from 'node:assert/strict'
import { collectRecords } from '../../../../src/lib/report/records'
import { modelAccount, select } from '../collect/model-service'
import { context, graph, relayGraph } from '../responses'

const MINUTE = 60_000
/** When the responses of the account arrive. */
const NOW = Date.UTC(2026, 10, 20, 8)
const BEHAVIOUR = { inclusive: true, order: 'ascending' } as const
const nothing = async () => ({ needsEarlier: false, needsLater: false })

describe('the records of a period that the service no longer has', () => {
  /** A remote unit of which the service keeps the last 1,500 minutes, at the end of a day or later. */
  async function lostAt(minutesLater: number) {
    const records = Array.from({ length: 1500 }, (_, index) => ({
      ...{ unixtime: NOW / 1000 - (1500 - index) * 60, id: index + 1, value: 5 },
    }))
    const { account } = modelAccount(({ params }) =>
      relayGraph({ data: select(records, params as never, BEHAVIOUR) }),
    )
    const to = NOW - minutesLater * MINUTE
    const period = { from: to - 1440 * MINUTE, to }
    const query = { period, marginMs: 60 * MINUTE, now: NOW, unit: null, isTrial: false }
    const target = { serial: '5212A1B2', base: '5839F001' }
    const { lost } = await collectRecords(account, target, query, nothing, context)
    return lost && [(lost.from - period.from) / MINUTE, (lost.to - period.from) / MINUTE]
  }

  it('are those in the period, not those that were requested before it because of For', async () => {
    assert.deepEqual(await lostAt(120), [0, 60])
    for (const minutesLater of [5, 60]) assert.equal(await lostAt(minutesLater), undefined)
  })

  it('end with the period, although the oldest record that it keeps is later', async () => {
    assert.deepEqual(await lostAt(1530), [0, 1440])
  })
})

describe('the records of a period whose pages contradict each other', () => {
  it('may lack some, and it is not known which', async () => {
    const records = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ unixtime: NOW / 1000 - (20_000 - index) * 60, id: index + 1, value: 5 },
    }))
    const { account } = modelAccount(({ params }, index) =>
      graph({ data: index > 0 ? [] : select(records, params as never, BEHAVIOUR) }),
    )
    const period = { from: NOW - 20_000 * MINUTE, to: NOW }
    const query = { period, marginMs: 0, now: NOW, unit: null, isTrial: false }
    const target = { serial: '5212A1B2', base: '5212A1B2' }
    assert.equal((await collectRecords(account, target, query, nothing, context)).lost, null)
  })
})
