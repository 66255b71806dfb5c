/** The event that an alert reports; `other` if its text is ambiguous. */
export type AlertKind =
  | 'upper-limit'
  | 'lower-limit'
  | 'recovered'
  | 'sensor-error'
  | 'battery'
  | 'communication'
  | 'other'

/** `ch1` … `ch6`, or the fields `battery-level` and `communication-status` of a log entry. */
export type AlertSource = `ch${number}` | 'battery' | 'communication'

/**
 * The known phrases for each kind. When the channel's name, values and punctuation have been removed, the complete text
 * must match one of them. The grammar of the texts is not documented (docs/service.md, *Fields*), so any additional
 * word ("… cleared", "… not exceeded", "… テスト") makes the kind `other`.
 */
const LIMIT = '(?:limit|alarm|alert|threshold)'
const EXCEEDED = '(?: (?:was |has been )?exceeded)?'
const ALARM_JA = '(?:値)?(?:警報|アラーム)?'
const OVER_JA = '(?:超過|を?超え(?:まし)?た?|発生)?'
const SOURCE = `(?:(?:the )?(?:upper|lower|high|low) ${LIMIT}(?: alarm| alert)?|sensor error|alarm|alert)`
const SOURCE_JA = '(?:(?:上限|下限)(?:値)?|センサー?(?:異常|エラー))?(?:警報|アラーム|超過)?(?:から)?'
const DONE_JA = '(?:しました|済み?)?'

const PHRASES: readonly (readonly [AlertKind, readonly string[]])[] = [
  [
    'upper-limit',
    [
      `(?:upper|high) ${LIMIT}(?: alarm| alert)?${EXCEEDED}`,
      '(?:above|over) (?:the )?upper limit',
      `上限${ALARM_JA}${OVER_JA}`,
      '上限(?:値)?を上回りました',
    ],
  ],
  [
    'lower-limit',
    [
      `(?:lower|low) ${LIMIT}(?: alarm| alert)?${EXCEEDED}`,
      '(?:below|under) (?:the )?lower limit',
      `下限${ALARM_JA}${OVER_JA}`,
      '下限(?:値)?を下回りました',
    ],
  ],
  [
    'recovered',
    [
      '(?:has )?(?:return(?:ed|s)?|back) to (?:the )?normal',
      `(?:has )?recovered(?: from ${SOURCE})?`,
      `${SOURCE_JA}(?:正常値?)?(?:復帰|復旧)${DONE_JA}`,
      '正常(?:値)?に(?:戻りました|復帰(?:しました)?)',
      'communication (?:has been |was |is )?(?:restored|recovered)',
      `通信が?(?:復帰|復旧|回復)${DONE_JA}`,
    ],
  ],
  [
    'sensor-error',
    [
      'sensor (?:error|fault|failure|abnormality|disconnect(?:ed|ion)?)',
      'センサー? ?(?:異常|エラー|断線|未接続)',
    ],
  ],
]

const PATTERNS = PHRASES.map(([kind, words]) => [kind, new RegExp(`^(?:${words.join('|')})$`)] as const)

/** A value with its unit, or a code: `12.1 c`, `e1`. */
const VALUE =
  /[-+]?\d+(?:\.\d+)?(?: ?(?:°c|°f|c|f|%|ppm|k?lx|h?pa|kpa|m?v|m?a|mw\/cm2h?)(?![\p{L}\p{N}]))?|\be\d+\b/gu
/** Values other than the measured one: limits, and the value at which an alert ends. */
const NAMED_VALUE =
  /(?:(?:upper|lower) limit|limit|threshold|recovery|上限値?|下限値?|復帰値)(?: value)?[ :=]*(?=#)/g

/** A channel's number, in place of its name. */
const NUMBERED = /(?<![\p{L}\p{N}])(?:no|ch|channel)\.? ?#/gu

/** Maximum number of characters that are used of a text and of a name. */
const MAX_LENGTH = 500

/**
 * Classifies an alert by its text. The channel's own name is removed first, so that a channel called *Upper limit* has
 * no influence. A battery or communication alert has that kind, unless its text reports recovery.
 */
export function classifyAlert(source: AlertSource, text: string, channelName: string): AlertKind {
  const phrase = toPhrase(text, channelName)
  const [kind = 'other'] = PATTERNS.find(([, pattern]) => pattern.test(phrase)) ?? []
  if (kind === 'recovered') return kind
  return source === 'battery' || source === 'communication' ? source : kind
}

/** The text without the name, values and punctuation. */
function toPhrase(text: string, channelName: string): string {
  const plain = normalize(text.slice(0, MAX_LENGTH))
  return withoutName(plain, normalize(channelName.slice(0, MAX_LENGTH)))
    .replace(VALUE, '#')
    .replace(NUMBERED, ' ')
    .replace(/\(([^()]{0,500})\)/g, (_, inside: string) => ` ${inside.replace(NAMED_VALUE, '')} `)
    .replace(/[#_()[\]:;,.!<>=~/、。-]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

const normalize = (text: string) => text.normalize('NFKC').toLowerCase()

/**
 * Replaces the name in a text if it is a separate word, so that a channel called *n* does not change *not*. A Japanese
 * name is replaced anywhere, because Japanese has no blanks between words.
 */
function withoutName(text: string, name: string): string {
  // Few texts contain the name, and testing is cheaper than compiling a pattern.
  if (name === '' || !text.includes(name)) return text
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const word = JAPANESE.test(name) ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`
  return text.replace(new RegExp(word, 'gu'), '_')
}
