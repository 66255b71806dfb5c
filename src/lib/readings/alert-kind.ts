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

/**
 * What a text must be as a whole, when the channel's name, values and punctuation are taken out: the kinds that the
 * description names (docs/service.md, *Fields*), in the words that are known for them. Its grammar is not described, so a word
 * more ("… cleared", "… not exceeded", "… テスト") is a doubt.
 */
const LIMIT = '(?:limit|alarm|alert|threshold)'
const EXCEEDED = '(?: (?:was |has been )?exceeded)?'
const ALARM_JA = '(?:値)?(?:警報|アラーム)?'
const OVER_JA = '(?:超過|を?超え(?:まし)?た?|発生)?'
const SOURCE = `(?:(?:the )?(?:upper|lower|high|low) ${LIMIT}(?: alarm| alert)?|sensor error|alarm|alert)`
const SOURCE_JA = '(?:(?:上限|下限)(?:値)?|センサー?(?:異常|エラー))?(?:警報|アラーム|超過)?(?:から)?'
const DONE_JA = '(?:しました|済み?)?'

const phrases: readonly (readonly [AlertKind, readonly string[]])[] = [
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

const patterns = phrases.map(([kind, words]) => [kind, new RegExp(`^(?:${words.join('|')})$`)] as const)

/** A value with its unit, or a code: `12.1 c`, `e1`. */
const VALUE =
  /[-+]?\d+(?:\.\d+)?(?: ?(?:°c|°f|c|f|%|ppm|k?lx|h?pa|kpa|m?v|m?a|mw\/cm2h?)(?![\p{L}\p{N}]))?|\be\d+\b/gu
/** Values that are named beside the one that was measured: limits, and where a recovery begins. */
const NAMED_VALUE =
  /(?:(?:upper|lower) limit|limit|threshold|recovery|上限値?|下限値?|復帰値)(?: value)?[ :=]*(?=#)/g

/** A channel by its number, in the place of its name. */
const NUMBERED = /(?<![\p{L}\p{N}])(?:no|ch|channel)\.? ?#/gu

/** The longest text that is looked into. */
const MAX_LENGTH = 500

/**
 * Reads the kind from free text whose grammar is not known. The channel's own name is taken out first, so that a channel
 * called *Upper limit* means nothing. What is not one of the known phrases as a whole is `other`.
 */
export function classifyAlert(source: AlertSource, text: string, channelName: string): AlertKind {
  const phrase = phraseOf(text, channelName)
  const [kind = 'other'] = patterns.find(([, pattern]) => pattern.test(phrase)) ?? []
  if (kind === 'recovered') return kind
  return source === 'battery' || source === 'communication' ? source : kind
}

function phraseOf(text: string, channelName: string): string {
  const plain = normalise(text.slice(0, MAX_LENGTH))
  return withoutName(plain, normalise(channelName.slice(0, MAX_LENGTH)))
    .replace(VALUE, '#')
    .replace(NUMBERED, ' ')
    .replace(/\(([^()]{0,500})\)/g, (_, inside: string) => ` ${inside.replace(NAMED_VALUE, '')} `)
    .replace(/[#_()[\]:;,.!<>=~/、。-]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

const normalise = (text: string) => text.normalize('NFKC').toLowerCase()

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
