import assert from 'node:assert/strict'
import { type AlertKind, classifyAlert } from '../../../../src/lib/readings/alert-kind'

const kind = (text: string, channelName = 'Inside') => classifyAlert('ch1', text, channelName)

/** Unambiguous texts. */
const certain: Record<string, readonly string[]> = {
  'upper-limit': [
    'Inside: upper limit exceeded 12.1 C (8.0 C)',
    'Inside Upper-Limit 12.1C > 8.0C',
    'UPPER LIMIT ALARM Inside 12.1 C',
    'Inside high alarm 12.1 C',
    'Inside 上限値超過 12.1 ℃（上限値 8.0 ℃）',
    'Inside 上限を超えました',
    'Inside: Upper limit alarm 12.1 C (limit 8.0 C)',
    'Inside: HIGH ALARM 12.1 C',
    'Inside: over the upper limit 12.1 C',
    'Inside: above the upper limit',
    'Inside 上限値を上回りました',
    'Inside 上限値警報 12.1℃ (上限値 8.0℃)',
    // Numbered labels, as the service has them in CSV, are no negation.
    'No.1: Upper limit alarm 12.1 C (8.0 C)',
    'No.1 上限値警報 12.1℃',
    'Ch.1: Upper limit alarm',
    'Upper limit exceeded 30.0 C (limit 25.0 C, recovery 24.0 C)',
    '上限値超過 30.0 C（上限値 25.0、復帰値 24.0）',
  ],
  'lower-limit': [
    'Inside: lower limit exceeded -25.0 C (-20.0 C)',
    'Lower limit: Inside -25.0 C',
    'Inside low alarm -25.0 C',
    'Inside 下限値超過 -25.0 ℃（下限値 -20.0 ℃）',
    'Inside 下限値を下回りました',
    'Inside: low-limit -30 C',
    'Inside: below the lower limit',
    'Inside: under lower limit -30 C',
    'Inside 下限値警報 -30.0℃ (下限値 -25.0℃)',
    'No.1 Lower limit alarm -30.0 C (-25.0 C)',
  ],
  recovered: [
    'Inside: return to normal -18.4 C',
    'Inside returned to normal (upper limit 8.0 C)',
    'Inside recovered from upper limit alarm',
    'Inside 復帰 5.0 ℃（上限値 8.0 ℃）',
    'Inside 正常に戻りました',
    'Inside 警報復旧',
    'Inside 警報復帰 5.0℃',
    'No.1: Return to normal 5.0 C',
  ],
  'sensor-error': [
    'Inside: sensor error',
    'Inside sensor error (upper limit 8.0 C)',
    'Inside SENSOR ERROR (E1)',
    'Inside センサーエラー',
    'Inside センサ異常',
    'Inside ｾﾝｻｰ異常',
    'Inside ｾﾝｻ異常',
    'No. 1: Sensor error',
  ],
}

/** Texts that single words would classify wrongly: a word that is not known makes the kind `other`. */
const traps = [
  'Inside upper limit alarm cleared',
  'Inside fell below the upper limit, 7.9 C',
  'Inside normal (upper limit 8.0 C)',
  'Inside 上限警報 解除',
  'Inside 上限値を下回りました 7.9 ℃',
  "Inside upper limit wasn't exceeded",
  'Inside upper limit exceeded? No alarm',
  'Inside 上限値を超えていません',
  'Inside 上限・下限',
  'Inside upper limit, not yet returned to normal',
  'Inside 上限値超過 復帰していません',
  'Inside abnormal',
  'Inside 12.1 C',
  'Inside: between upper limit and lower limit',
  'Inside: limit changed to 8.0 C',
  'Alarm',
  '警報',
  '?',
  '',
  '上限警報 復帰待ち',
  '復帰後再び上限超過',
  'Failed to recover',
  'Upper limit changed from 25 to 30',
  'High alarm acknowledged',
  '上限警報テスト',
  'Inside upper limit alarm (cleared at 12:00)',
  'センサーエラー クリア',
  'upper limit exceeded'.repeat(30),
]

/** Channel names that look like the text of an alert, or are part of its words. */
const hostile = [
  'Upper limit',
  'lower limit alarm',
  'Return to normal',
  'Recovered',
  'Sensor error',
  '上限',
  '下限',
  '復帰',
  'センサー異常',
  'Upper limit / 上限',
  '.*',
  '(',
  '$&',
  '\\',
  '__proto__',
  'constructor',
]

/** Channel, text, the right kind: removing the name must not remove part of a word. */
const insideWords: readonly (readonly [name: string, text: string, right: AlertKind])[] = [
  ['n', 'n: upper limit not exceeded', 'other'],
  ['Un', 'Un: unrecovered upper limit alarm', 'upper-limit'],
  ['未', '未 上限値超過 未復帰', 'upper-limit'],
  ['ませ', 'ませ 上限値を超えていません', 'other'],
]

describe('the kind of an alert', () => {
  for (const [expected, texts] of Object.entries(certain)) {
    for (const text of texts) it(`"${text}" is ${expected}`, () => assert.equal(kind(text), expected))
  }

  for (const text of traps) {
    it(`is other for "${text.slice(0, 60)}"`, () => assert.equal(kind(text), 'other'))
  }

  for (const name of hostile) {
    it(`is never determined by the channel's name "${name}"`, () => {
      const [upper, lower, other] = ['upper limit exceeded', '下限値超過', '12.1 C'] as const
      assert.ok(['upper-limit', 'other'].includes(classifyAlert('ch1', `${name}: ${upper} 12.1 C`, name)))
      assert.ok(['lower-limit', 'other'].includes(classifyAlert('ch1', `${name} ${lower} 12.1 C`, name)))
      assert.equal(classifyAlert('ch1', `${name} ${other}`, name), 'other')
      assert.equal(classifyAlert('ch1', `${name.toUpperCase()} ${name}`, name), 'other')
    })
  }

  for (const [name, text, right] of insideWords) {
    it(`of "${text}" is not inverted by the channel's name "${name}"`, () => {
      assert.ok(['other', right].includes(classifyAlert('ch1', text, name)))
    })
  }

  it('is found if the channel has no name', () => {
    assert.equal(kind('upper limit exceeded, 12.1 °C', ''), 'upper-limit')
  })

  it('for battery and communication is their source, or recovered', () => {
    for (const source of ['battery', 'communication'] as const) {
      assert.equal(classifyAlert(source, 'anything at all', ''), source)
      assert.equal(classifyAlert(source, '', ''), source)
      assert.equal(classifyAlert(source, 'Low alarm: upper limit', ''), source)
      assert.equal(classifyAlert(source, 'returned to normal', ''), 'recovered')
      assert.equal(classifyAlert(source, '復帰しました', ''), 'recovered')
      assert.equal(classifyAlert(source, 'not recovered', ''), source)
    }
    for (const text of ['Communication Restored', '通信復帰', '通信が復旧しました'])
      assert.equal(classifyAlert('communication', text, ''), 'recovered', text)
    for (const text of ['Communication error, waiting for recovery', '復帰まで通信不可'])
      assert.equal(classifyAlert('communication', text, ''), 'communication', text)
  })

  it('is found in the first 500 characters', () => {
    const of = (blanks: number) => kind(`upper limit${' '.repeat(blanks)}cancelled`)
    assert.deepEqual([of(489), of(488)], ['upper-limit', 'other'])
  })

  it('takes no longer for a text of a megabyte', () => {
    for (const text of ['上限', ' ', '(', '1', 'upper limit ', '_-']) {
      assert.equal(classifyAlert('ch1', text.repeat(1_000_000 / text.length), 'a'.repeat(1_000_000)), 'other')
    }
  })
})
