/** What an alert tells of; `other` whenever the text leaves a doubt. */
export type AlertKind =
  | 'upper-limit'
  | 'lower-limit'
  | 'recovered'
  | 'sensor-error'
  | 'battery'
  | 'communication'
  | 'other'

/** `ch1` … `ch6`, or what the log entry calls battery-level and communication-status. */
export type AlertSource = `ch${number}` | 'battery' | 'communication'

/** Words of the kinds the description names (*Alert log entry*), English and Japanese; a recovery is told finished. */
const words: readonly (readonly [AlertKind, RegExp])[] = [
  ['upper-limit', /\b(upper|high)[ -]?(limit|alarm|alert|threshold)\b|上限/],
  ['lower-limit', /\b(lower|low)[ -]?(limit|alarm|alert|threshold)\b|下限/],
  [
    'recovered',
    /\breturn(ed|s)? to (the )?normal\b|\bback to (the )?normal\b|\brecovered\b|\bnormali[sz]ed\b|復帰(?!値)|復旧|正常に戻/,
  ],
  [
    'sensor-error',
    /\bsensor[ -]?(error|fault|failure|abnormality|disconnect(ed|ion)?)\b|センサー?\s*(異常|エラー|断線|未接続)/,
  ],
]

/** Words that may turn a sentence round, or make it tell of a setting: with one of them nothing is certain. */
const DOUBT =
  /\b(not|no(?!\.? ?\d)|never|without|yet|until|if|fail\w*|wait\w*|again|unable|cannot|pending|chang\w*|set|test\w*|disabled?|enabled?|suspend\w*|acknowledg\w*|near\w*|approach\w*|predict\w*)\b|n't\b|ない|なかった|ません|未(?!接続|満)|せず|でき(ず|ない)|不可|待|中|まで|後|再|変更|設定|テスト|確認|接近|無効|有効|停止/

/** Of these, what a Japanese name may have eaten the beginning of. */
const NEGATED = /ない|なかった|ません|せず|できず|未復|未回/

/** Words of something that goes on: a recovery beside one of them may be over again. */
const ONGOING = /\bexceed\w*|\b(above|over|beyond)\b|超過|超え|越え|上限.*上回|下限.*下回|発生/

/** Words of an end or of the good side: a limit's name beside one of them is no alarm for sure. */
const END =
  /\b(clear(ed|s)?|end(ed|s)?|reset|resolved|cancel\w*|off|over(?! (?:the )?(?:upper|high)\b)|within|inside|normal|recovery(?!:? \d))\b|\bbelow\b.*\bupper|\babove\b.*\blower|解除|解消|回復|終了|戻|正常|復(?!帰値)|範囲内|以内|上限.*(下回|未満|以下)|下限.*(上回|以上)/

/**
 * Reads the kind from free text whose grammar is not known. The channel's own name is taken out first, so that
 * a channel called *Upper limit* means nothing. A recovery may name what it recovers from.
 */
export function alertKind(source: AlertSource, text: string, channelName: string): AlertKind {
  const plain = normalise(text)
  const rest = withoutName(plain, normalise(channelName))
  const doubtful = DOUBT.test(rest) || (JAPANESE.test(channelName) && NEGATED.test(plain))
  const found = words.filter(([, pattern]) => pattern.test(rest)).map(([kind]) => kind)
  if (found.includes('recovered') && !doubtful && !ONGOING.test(rest)) return 'recovered'
  if (source === 'battery' || source === 'communication') return source
  return found.length === 1 && !doubtful && !END.test(rest) ? (found[0] ?? 'other') : 'other'
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * The text with the name blotted out: as a word of its own, so that a channel called *n* does not eat the
 * beginning of *not*; anywhere where the name is Japanese, which has no borders between words.
 */
function withoutName(text: string, name: string): string {
  // Few texts have it in them: looking is cheaper than making a pattern.
  if (name === '' || !text.includes(name)) return text
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const word = JAPANESE.test(name) ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`
  return text.replace(new RegExp(word, 'gu'), '_')
}
