import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { EnvlogError } from '../../../../src/lib/errors'
import { NO_PROBLEMS } from '../../../../src/nodes/kit/report/device-problems'
import { type RunStatus, toNodeStatus } from '../../../../src/nodes/kit/report/status'

/** Returns the key of the sentence with its parameters. */
const RED = { _: (key: string, params: object = {}) => `${key} ${JSON.stringify(params)}` } as never
const at = new Date(2026, 10, 20, 8, 5).getTime()
const noConnection = {
  kind: 'failed',
  error: new EnvlogError('no-connection'),
  since: at - 600_000,
} as const
const filling = {
  kind: 'filling',
  done: 0,
  total: 1,
  name: 'Freezer 3',
  records: 0,
  since: new Date(2026, 2, 1, 23, 30).getTime(),
  problems: NO_PROBLEMS,
} as const
const received = { kind: 'received', what: 'records', count: 300 } as const
const sinceText = (more = {}) => JSON.stringify({ what: 'status.ENVLOG_NETWORK {}', since: '07:55', ...more })

describe('the status of a node', () => {
  const retryAt = new Date(at + 600_000).toISOString()
  const round = { done: 1, total: 9 }
  /** The expected status as fill, shape and text. */
  const cases: [string, RunStatus, string][] = [
    ['is empty before the first trigger', { kind: 'idle', problems: NO_PROBLEMS }, ''],
    [
      'is a grey dot if all devices are left out',
      { kind: 'idle', problems: { ...NO_PROBLEMS, refused: 2 } },
      'grey dot status.refused {"count":2}',
    ],
    ['is a blue dot during requests', { kind: 'requesting' }, 'blue dot status.asking'],
    [
      'is a green dot with what was received, when, and how many devices are left out',
      { ...received, problems: { ...NO_PROBLEMS, refused: 3 } },
      'green dot status.records {"count":300} 08:05 status.refused {"count":3}',
    ],
    [
      'is a yellow dot with the number of devices whose records were lost',
      { ...received, problems: { ...NO_PROBLEMS, losses: 2 } },
      'yellow dot status.records {"count":300} 08:05 status.losses {"count":2}',
    ],
    [
      'is a yellow dot with the number of devices that were not requested, because they await a receipt',
      { ...received, problems: { ...NO_PROBLEMS, awaited: 5 } },
      'yellow dot status.records {"count":300} 08:05 status.awaited {"count":5}',
    ],
    [
      'is a yellow dot if chosen devices are not in the account',
      { ...received, problems: { ...NO_PROBLEMS, unknown: 1 } },
      'yellow dot status.records {"count":300} 08:05 status.unknown {"count":1}',
    ],
    [
      'is a green dot although some devices have no records in the period',
      { ...received, problems: { ...NO_PROBLEMS, empty: 1 } },
      'green dot status.records {"count":300} 08:05 status.empty {"count":1}',
    ],
    [
      'is a yellow dot if no device has records in the period',
      { ...received, count: 0, problems: { ...NO_PROBLEMS, empty: 1 } },
      'yellow dot status.records {"count":0} 08:05 status.empty {"count":1}',
    ],
    [
      'is a yellow ring with the time until which the node waits for quota',
      { kind: 'waiting', until: at + 60_000, records: false },
      'yellow ring status.waiting {"time":"08:06"}',
    ],
    [
      'shows seconds in the last minute',
      { kind: 'waiting', until: at + 12_000, records: true },
      'yellow ring status.waiting-records {"time":"08:05:12"}',
    ],
    [
      'shows the date of another day',
      { kind: 'waiting', until: at + 4 * 86_400_000, records: false, round },
      'yellow ring status.waiting-round {"time":"11-24 08:05","done":1,"total":9}',
    ],
    ['says that missing records are being fetched', filling, 'blue ring status.filling-first {}'],
    [
      'shows losses while other records are fetched',
      { ...filling, problems: { ...NO_PROBLEMS, losses: 1 } },
      'blue ring status.filling-first {} status.losses {"count":1}',
    ],
    [
      'is a blue ring with the number of missing records of one device that were fetched',
      { ...filling, records: 16_000 },
      'blue ring status.filling-one {"name":"Freezer 3","number":"16,000","date":"2026-03-01 23:30"}',
    ],
    [
      'shows no more than a line of a name',
      { ...filling, name: `\u202eA\n${'B'.repeat(10_000)}`, records: 1 },
      `blue ring status.filling-one {"name":" A ${'B'.repeat(97)}","number":"1","date":"2026-03-01 23:30"}`,
    ],
    [
      'shows how many of several devices have no missing records any more',
      { ...filling, done: 3, total: 14 },
      'blue ring status.filling {"done":3,"total":14}',
    ],
    [
      'shows how many of their records were fetched, and how far back the others are complete',
      { ...filling, done: 6, total: 14, records: 48_000 },
      'blue ring status.filling-back-to {"done":6,"total":14,"number":"48,000","date":"2026-03-01 23:30"}',
    ],
    [
      'is a yellow ring while receipts are overdue',
      { kind: 'unacknowledged', devices: 3, since: at - 3_600_000, isWarning: false },
      'yellow ring status.unacknowledged {"count":3,"time":"07:05"}',
    ],
    [
      'is a red ring while receipts are missing after several resends',
      { kind: 'unacknowledged', devices: 3, since: at - 3_600_000, isWarning: true },
      'red ring status.unacknowledged {"count":3,"time":"07:05"}',
    ],
    ['shows since when requests fail', noConnection, `red ring status.since ${sinceText()}`],
    [
      'shows when the node tries again',
      { ...noConnection, next: at + 300_000 },
      `red ring status.since-next ${sinceText({ next: '08:10' })}`,
    ],
    [
      'shows until when the quota is used up, if the node must not wait',
      { ...noConnection, error: new EnvlogError('quota-wait', {}, { retryAt }) },
      'red ring status.used-up-until {"time":"08:15"}',
    ],
    [
      'has a text for unexpected errors',
      { kind: 'failed', error: new Error('a bug') },
      'red ring status.failed',
    ],
    [
      'is a grey ring with the missing setting',
      { kind: 'failed', error: new EnvlogError('account-incomplete', { property: 'apiKey' }) },
      'grey ring status.missing-apiKey',
    ],
    [
      'is a grey ring without an account',
      { kind: 'failed', error: new EnvlogError('no-account') },
      'grey ring status.no-account',
    ],
    [
      'is a grey ring with a wrong setting',
      { kind: 'failed', error: new EnvlogError('setting-invalid') },
      'grey ring status.unconfigured',
    ],
    [
      'is a red ring with the row of a limit that is not valid',
      {
        kind: 'failed',
        error: new EnvlogError('limit-invalid', { property: 'limits.6.above', problem: 'limit-blank' }),
      },
      'red ring status.limit-invalid {"row":7}',
    ],
    ...(['no-devices', 'no-bases', 'no-groups'] as const).map((problem): [string, RunStatus, string] => [
      `says what is not chosen for a limit: ${problem}`,
      {
        kind: 'failed',
        error: new EnvlogError('limit-invalid', { property: 'limits.6.devices', problem }),
      },
      `red ring status.limit-${problem} {"row":7}`,
    ]),
    ...(['store-unreadable', 'store-damaged'] as const).map((reason): [string, RunStatus, string] => [
      `is a grey ring of its own for ${reason}`,
      { kind: 'failed', error: new EnvlogError(reason) },
      `grey ring status.${reason}`,
    ]),
  ]
  for (const [name, status, expected] of cases) {
    it(name, () => {
      const clock = install({ now: at, toFake: ['Date'] })
      const { fill, shape, text } = toNodeStatus(RED, status)
      clock.uninstall()
      assert.equal([fill, shape, text].filter(Boolean).join(' '), expected)
    })
  }
})
