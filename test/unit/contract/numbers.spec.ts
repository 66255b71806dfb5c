import assert from 'node:assert/strict'
import { MAX_REFUSALS } from '../../../src/lib/api/client'
import { MAX_READ_LENGTH } from '../../../src/lib/api/error-response'
import { MAX_BODY_BYTES } from '../../../src/lib/api/response-body'
import { MAX_INTERIM_RESPONSES } from '../../../src/lib/api/transport'
import { MAX_NAMES_WAIT_MS } from '../../../src/lib/collect/account-devices'
import { MAX_SEEN } from '../../../src/lib/collect/alert-plan'
import { MAX_INTERVALS, MAX_ROWS } from '../../../src/lib/collect/collect-statistics'
import { MAX_QUIET_RESENDS } from '../../../src/lib/collect/device-state'
import { MAX_UNSELECTED_MS } from '../../../src/lib/collect/device-states'
import { KEPT } from '../../../src/lib/collect/find-loss'
import { MAX_AMBIGUOUS_IN_A_ROW } from '../../../src/lib/collect/for-each'
import {
  MAX_HELD as MAX_LATE_RECORDS,
  MAX_HOLES as MAX_MISSING_PERIODS,
} from '../../../src/lib/collect/holes'
import { MAX_HASHES } from '../../../src/lib/collect/known-records'
import { MAX_REPORTS as MAX_REPORTED_ONCE, MAX_RETAINED } from '../../../src/lib/collect/node-state'
import { PAGE_RECORDS } from '../../../src/lib/collect/page'
import { MAX_DEPTH } from '../../../src/lib/decode/envelopes'
import { MAX_LENGTH } from '../../../src/lib/decode/value'
import { MAX_ALERTS, MAX_LATEST_RECORDS, MAX_RECORDS } from '../../../src/lib/endpoints'
import { MAX_HELD, MAX_OVER } from '../../../src/lib/limits/history'
import { MAX_UNSEEN_MS } from '../../../src/lib/limits/monitor'
import { MAX_MUTE_MS, MAX_MUTED_DEVICES } from '../../../src/lib/limits/mutes'
import { COMPLETE, HOLE, MAX_HOLE_AGE_MS, MAX_HOLES } from '../../../src/lib/limits/pieces'
import { MAX_REPORTS } from '../../../src/lib/limits/reports-due'
import { BASE_WAIT_MS } from '../../../src/lib/limits/silence'
import { MAX_CHANNELS } from '../../../src/lib/limits/watched-devices'
import { MAX_AHEAD_MS } from '../../../src/lib/limits/wrong-clocks'
import { MAX_LINES } from '../../../src/lib/output/lines'
import { MIN_RECORDS } from '../../../src/lib/quota/endpoint-quota'
import { MAX_QUEUED } from '../../../src/lib/quota/quota'
import { ACTIVATION_K } from '../../../src/lib/readings/figures'
import { MAX_ENTRIES } from '../../../src/lib/registry'
import { MAX_LATE_MS, RETRY_MS } from '../../../src/lib/report/due-reports'
import { MAX_PERIOD_DAYS } from '../../../src/lib/report/period'
import { MAX_EXTENSION_MS } from '../../../src/lib/report/records'
import { MAX_EXCURSIONS, MAX_GAPS, MAX_POINTS } from '../../../src/lib/report/report-bounds'
import { MAX_AGE_MS } from '../../../src/lib/request'
import { MAX_HISTORY_HOURS, MAX_NAMED, MAX_PERSON_LENGTH } from '../../../src/nodes/alarms/command'
import { MAX_MESSAGES } from '../../../src/nodes/kit/action/trial'
import { MAX_WAITING_TRIGGERS } from '../../../src/nodes/kit/action/trigger-queue'
import { MAX_WAITING, TICK_MS } from '../../../src/nodes/kit/limits/plant-alarms'
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
  [MAX_NAMED],
  [MAX_MUTE_MS / DAY_MS],
  [MAX_HISTORY_HOURS],
  [MAX_PERSON_LENGTH],
  [MAX_WAITING],
  [MAX_UNSEEN_MS / DAY_MS],
  [MAX_REPORTED_ONCE],
  [MAX_PERIOD_DAYS],
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

/** Days and hours for which records of this many minutes are kept, as the table shows them. */
function keptFor(records: number, minutes: number): number {
  const days = (records * minutes) / (24 * 60)
  if (days < 5) return days * 24
  return days < 365 ? Math.floor(days) : Math.round((2 * days) / 365) / 2
}

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Sentences with a number that no other test knows, in both languages. */
const SENTENCES: readonly (readonly [page: string, number: number, english: string, japanese: string])[] = [
  ['quota.md', MAX_AGE_MS / 1000, 'a response of up to # seconds ago', '# 秒前までの応答'],
  [
    'collecting.md',
    MAX_QUIET_RESENDS,
    'after # resends without a receipt',
    '# 回再送しても受領確認が戻らないと',
  ],
  ['errors.md', MAX_DEPTH, 'nested deeper than # levels', '入れ子が # 段を超える'],
  ['errors.md', MAX_REFUSALS, 'refused the request # times because a limit', 'リクエストを # 回拒否'],
  ['errors.md', MAX_AMBIGUOUS_IN_A_ROW, 'ends if # in a row fail this way', '# 台（「同時リクエスト数」'],
  ['quota.md', MAX_QUEUED, 'Up to # requests can wait', '# 件まで順番待ち'],
  ['quota.md', MIN_RECORDS, 'requests fewer, but at least #', 'その件数だけ（# 件以上）'],
  ['nodes.md', MAX_WAITING_TRIGGERS, 'Up to # messages wait in a queue', '順番を待ちます（# 件まで'],
  ['nodes.md', PAGE_RECORDS, 'at most the newest # records', '新しいものから # 件まで'],
  ['messages.md', MAX_RECORDS, 'most # records of a period', '「期間の記録」は最大 # 件'],
  ['messages.md', MAX_LENGTH, 'cut off after # characters', '# 文字を超えた部分'],
  ['messages.md', MAX_NAMES_WAIT_MS / 1000, 'at most # seconds, and do not fail', '待つのは # 秒まで'],
  ['collecting.md', PAGE_RECORDS, 'in pages of at most #', '# 件までのページに'],
  [
    'collecting.md',
    MAX_LATEST_RECORDS,
    'the newest # records, with which the service responds',
    'サービスが返す最新の # 件',
  ],
  ['collecting.md', MAX_LATEST_RECORDS, 'Once # are remembered', '# 件を記憶した後'],
  ['collecting.md', MAX_ALERTS, 'keeps the newest # entries', '機器ごとに最新の # 件'],
  ['collecting.md', MAX_SEEN, 'the newest # texts', '最新の # 件の文言'],
  ['limits.md', MAX_LIMITS, 'There are at most # rows', '行は # 行まで'],
  ['limits.md', MAX_CHANNELS, '# channels that are watched', '監視するチャンネルは # まで'],
  ['judging.md', MAX_HOLES, 'one of the last # holes', '最近の # か所'],
  ['judging.md', MAX_HOLE_AGE_MS / DAY_MS, 'up to # days back', '# 日前までの欠測区間'],
  ['limits.md', MAX_REPORTS, '**At most #** alarms', '合わせて # 件まで'],
  ['limits.md', MAX_OVER, 'The last # alarms that are over', '最近の # 件を'],
  ['limits.md', MAX_MUTED_DEVICES, 'At most # devices can be muted', '停止できる機器は # 台まで'],
  ['limits.md', MAX_HISTORY_HOURS, '(at most #)', '（最大 # 時間）'],
  ['limits.md', MAX_MUTE_MS / MINUTE_MS, '(at most #, seven days)', '最大 # 分 = 7 日'],
  ['limits.md', MAX_MUTE_MS / MINUTE_MS, '`minutes` (1 to #)', '`minutes`（1～#）'],
  ['report.md', RETRY_MS / MINUTE_MS, 'again every # minutes', '# 分ごとに再試行'],
  ['report.md', MAX_LATE_MS / DAY_MS, 'as far as # days back', '# 日前まで作成'],
  ['report.md', MAX_EXTENSION_MS / DAY_MS, 'up to # days', '最大 # 日まで'],
  ['messages.md', ACTIVATION_K, 'by the gas constant of # K', '気体定数で割った値は # K'],
  ['judging.md', TICK_MS / 1000, 'is checked every # seconds', '時計による判定は # 秒ごと'],
  ['nodes.md', MAX_LINES, 'up to # lines in words', '）で最大 # 件'],
  ['nodes.md', MAX_MESSAGES, 'at most # messages', '最大 # 件（配列は'],
]

describe('the numbers in the documents', () => {
  for (const [page, number, english, japanese] of SENTENCES)
    it(`${page}: ${english.replace('#', String(number))}`, () => {
      const digits = number.toLocaleString('en-US')
      for (const [file, words] of [
        [`docs/${page}`, english.replace('#', WORDS[number] ?? digits)],
        [`docs/ja/${page}`, japanese.replace('#', digits)],
      ] as const)
        assert.ok(read(file).replace(/\s+/g, ' ').includes(words), `${file}: ${words}`)
    })

  for (const [file, heading] of [
    ['docs/collecting.md', 'What the service keeps'],
    ['docs/ja/collecting.md', 'サービスに残る記録'],
  ] as const)
    it(`${file} has what the service keeps, and how long that is`, () => {
      const [[, ...rows] = []] = tablesIn(sectionOf(read(file), heading))
      const kept = [KEPT.remote, KEPT.series1, KEPT.others]
      assert.deepEqual(
        rows.map(([, ...cells]) => cells.map((cell) => numbersIn(cell)[0])),
        kept.map((records) => [records, ...[1, 5, 10].map((minutes) => keptFor(records, minutes))]),
      )
      const service = numbersIn(read(file.replace('collecting', 'service')))
      assert.ok(kept.every((records) => service.includes(records)))
    })

  for (const file of ['docs/bounds.md', 'docs/ja/bounds.md']) {
    it(`${file} has the bounds that are enforced`, () => {
      const [[, ...rows] = []] = tablesIn(read(file))
      assert.deepEqual(
        rows.map(([item = '', bound = '']) => [item, numbersIn(bound)]),
        rows.map(([item], row) => [item, BOUNDS[row]]),
      )
    })
  }
})
