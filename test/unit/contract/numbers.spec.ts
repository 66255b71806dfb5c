import assert from 'node:assert/strict'
import { MAX_READ_LENGTH } from '../../../src/lib/api/error-response'
import { MAX_BODY_BYTES } from '../../../src/lib/api/response-body'
import { MAX_INTERIM_RESPONSES } from '../../../src/lib/api/transport'
import { MAX_NAMES_WAIT_MS } from '../../../src/lib/collect/account-devices'
import { MAX_SEEN } from '../../../src/lib/collect/alert-plan'
import { MAX_INTERVALS, MAX_ROWS } from '../../../src/lib/collect/collect-statistics'
import { MAX_UNSELECTED_MS } from '../../../src/lib/collect/device-states'
import {
  MAX_HELD as MAX_LATE_RECORDS,
  MAX_HOLES as MAX_MISSING_PERIODS,
} from '../../../src/lib/collect/holes'
import { MAX_HASHES } from '../../../src/lib/collect/known-records'
import { MAX_REPORTS as MAX_REPORTED_ONCE, MAX_RETAINED } from '../../../src/lib/collect/node-state'
import { PAGE_RECORDS } from '../../../src/lib/collect/page'
import { MAX_LENGTH } from '../../../src/lib/decode/value'
import { MAX_LATEST_RECORDS, MAX_RECORDS } from '../../../src/lib/endpoints'
import { MAX_HELD, MAX_OVER } from '../../../src/lib/limits/history'
import { MAX_UNSEEN_MS } from '../../../src/lib/limits/monitor'
import { MAX_MUTED_DEVICES } from '../../../src/lib/limits/mutes'
import { COMPLETE, HOLE, MAX_HOLE_AGE_MS, MAX_HOLES } from '../../../src/lib/limits/pieces'
import { MAX_REPORTS } from '../../../src/lib/limits/reports-due'
import { BASE_WAIT_MS } from '../../../src/lib/limits/silence'
import { MAX_CHANNELS } from '../../../src/lib/limits/watched-devices'
import { MAX_AHEAD_MS } from '../../../src/lib/limits/wrong-clocks'
import { MAX_QUEUED } from '../../../src/lib/quota/quota'
import { MAX_ENTRIES } from '../../../src/lib/registry'
import { MAX_LATE_MS } from '../../../src/lib/report/due-reports'
import { MAX_PERIOD_MS } from '../../../src/lib/report/period'
import { MAX_EXTENSION_MS } from '../../../src/lib/report/records'
import { MAX_EXCURSIONS, MAX_GAPS, MAX_POINTS } from '../../../src/lib/report/report-bounds'
import { MAX_PERSON_LENGTH } from '../../../src/nodes/alarms/command'
import { MAX_WAITING_TRIGGERS } from '../../../src/nodes/kit/action/trigger-queue'
import { MAX_WAITING } from '../../../src/nodes/kit/limits/plant-alarms'
import { MAX_CHANNEL, MAX_SERIAL_LENGTH } from '../../../src/shared/action'
import { MAX_LIMITS } from '../../../src/shared/limits-schema'
import { DAY_MS } from '../../../src/shared/local-clock'
import { MAX_ELEMENTS, MAX_TEXT, MAX_TYPED_INPUT } from '../../../src/shared/schema'
import { read, sectionOf, tablesIn } from '../../support/documents'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** The numbers of each row in the table of bounds, in its order. Times are in the unit of the row. */
const BOUNDS: readonly (readonly number[])[] = [
  [MAX_BODY_BYTES / 1024 / 1024, MAX_RECORDS],
  [MAX_READ_LENGTH],
  [MAX_INTERIM_RESPONSES],
  [MAX_LENGTH],
  [MAX_WAITING_TRIGGERS],
  [MAX_QUEUED],
  [MAX_RETAINED],
  [MAX_UNSELECTED_MS / DAY_MS],
  [MAX_LATEST_RECORDS],
  [MAX_HASHES],
  [MAX_MISSING_PERIODS],
  [MAX_LATE_RECORDS],
  [MAX_NAMES_WAIT_MS / 1000],
  [PAGE_RECORDS],
  [MAX_SEEN],
  [MAX_INTERVALS],
  [MAX_ROWS],
  [MAX_TEXT, MAX_TYPED_INPUT],
  [MAX_ELEMENTS],
  [MAX_LIMITS],
  [MAX_SERIAL_LENGTH, MAX_CHANNEL],
  [MAX_CHANNELS],
  [MAX_REPORTS],
  [MAX_HOLES, MAX_HOLE_AGE_MS / DAY_MS],
  [HOLE, COMPLETE],
  [MAX_AHEAD_MS / HOUR_MS],
  [BASE_WAIT_MS / MINUTE_MS],
  [MAX_HELD],
  [MAX_OVER],
  [MAX_MUTED_DEVICES],
  [MAX_PERSON_LENGTH],
  [MAX_WAITING],
  [MAX_UNSEEN_MS / DAY_MS],
  [MAX_REPORTED_ONCE],
  [MAX_PERIOD_MS / DAY_MS],
  [MAX_EXTENSION_MS / DAY_MS],
  [MAX_POINTS],
  [MAX_EXCURSIONS, MAX_GAPS],
  [MAX_LATE_MS / DAY_MS],
  [MAX_ENTRIES],
]

/** Each number once. */
function numbersIn(text: string): number[] {
  const digits = text.replace(/\ban hour\b/g, '1 hour').match(/\d[\d,.]*/g) ?? []
  return [...new Set(digits.map((number) => Number(number.replace(/,/g, ''))))]
}

describe('the numbers in the documents', () => {
  for (const [file, heading] of [
    ['docs/collecting.md', 'Bounds'],
    ['docs/ja/collecting.md', '上限'],
  ] as const) {
    it(`${file} has the bounds that are enforced`, () => {
      const [[, ...rows] = []] = tablesIn(sectionOf(read(file), heading))
      assert.deepEqual(
        rows.map(([item = '', bound = '']) => [item, numbersIn(bound)]),
        rows.map(([item], row) => [item, BOUNDS[row]]),
      )
    })
  }
})
