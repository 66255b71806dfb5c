import type { StandIns } from './stand-ins'

/**
 * Texts for people, such as alerts and sensor errors: the words that the package knows stay, with values and units;
 * everything else becomes letters that say nothing.
 */

const ENGLISH = [
  ...[
    'upper',
    'lower',
    'high',
    'low',
    'limit',
    'threshold',
    'alarm',
    'alert',
    'warning',
    'exceeded',
    'above',
    'below',
  ],
  ...[
    'over',
    'under',
    'range',
    'out',
    'of',
    'has',
    'been',
    'was',
    'is',
    'the',
    'to',
    'from',
    'at',
    'and',
    'back',
    'not',
  ],
  ...[
    'return',
    'returned',
    'returns',
    'normal',
    'recovered',
    'recovery',
    'sensor',
    'error',
    'fault',
    'failure',
  ],
  ...[
    'abnormality',
    'disconnected',
    'disconnection',
    'disconnect',
    'battery',
    'level',
    'communication',
    'status',
  ],
  ...[
    'lost',
    'restored',
    'no',
    'response',
    'channel',
    'ch',
    'value',
    'power',
    'ok',
    'on',
    'off',
    'replace',
    'test',
    'cleared',
  ],
  ...[
    'device',
    'request',
    'parameter',
    'invalid',
    'missing',
    'found',
    'serial',
    'login',
    'refused',
    'limit',
    'too',
  ],
  ...[
    'many',
    'requests',
    'service',
    'unavailable',
    'authentication',
    'failed',
    'access',
    'forbidden',
    'api',
    'by',
  ],
  ...['this', 'does', 'exist', 'served', 'required', 'records', 'available', 'valid', 'a'],
]

const JAPANESE = [
  ...[
    '上限値',
    '下限値',
    '上限',
    '下限',
    '警報',
    'アラーム',
    '超過',
    '超えました',
    '超えた',
    '超え',
    '発生',
    '上回りました',
    '下回りました',
  ],
  ...[
    '正常値',
    '正常',
    '復帰値',
    '復帰',
    '復旧',
    '回復',
    'しました',
    '戻りました',
    'センサー',
    'センサ',
    '異常',
    'エラー',
    '断線',
    '未接続',
  ],
  ...[
    '電池',
    'バッテリー',
    '残量',
    '低下',
    '少ない',
    '通信',
    '途絶',
    '無通信',
    'レベル',
    '電源',
    'から',
    '済み',
    '値',
    'に',
    'を',
    'が',
    'の',
  ],
  ...[
    '機器',
    '存在しません',
    'パラメータ',
    '不正です',
    '認証',
    '失敗',
    '対象外です',
    '上限を超えました',
    'アクセス回数',
    'テスト',
    '解除',
  ],
]

const UNITS = [
  '°c',
  '°f',
  '℃',
  '℉',
  'c',
  'f',
  'ppm',
  'klx',
  'lx',
  'klxh',
  'lxh',
  'kpa',
  'hpa',
  'pa',
  'mv',
  'v',
  'ma',
  'mw',
  'cm2',
  'cm2h',
]

const KNOWN = new Set([...ENGLISH, ...UNITS])
/** Longest first, so that a word is not taken for its beginning. */
const KNOWN_JAPANESE = [...new Set(JAPANESE)].sort((one, other) => other.length - one.length).join('|')

/** A date, a time of day, a number with few digits, an error code, a run of letters, or of Japanese letters. */
const TOKENS = new RegExp(
  [
    '(?<date>\\d{1,4}(?:[-/年]\\d{1,2}(?:[-/月]\\d{1,4}日?)?|(?:\\.\\d{1,2}){2,})|\\d{1,2}:\\d{2}(?::\\d{2})?)',
    '(?<code>\\b(?:E|ch)\\d{1,2}\\b)',
    '(?<number>[-+]?\\d+(?:\\.\\d+)?)',
    `(?<japanese>${KNOWN_JAPANESE})`,
    '(?<word>[\\p{Script=Latin}°℃℉][\\p{Script=Latin}\\d]*)',
    '(?<other>[\\p{L}\\p{N}\\p{So}])',
  ].join('|'),
  'giu',
)

/** More digits may be a serial or phone number. */
const MAX_DIGITS = 7

/** @param names replaced by their stand-ins, longest first */
export function maskWords(text: string, names: readonly string[], standIns: StandIns): string {
  const name = names.find((one) => one.trim() !== '' && text.includes(one))
  if (name !== undefined) {
    const parts = text.split(name)
    return parts.map((part) => maskWords(part, names, standIns)).join(standIns.of(name))
  }
  return text.replace(TOKENS, (token, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>
    if (standIns.reveals(token)) return standIns.mask(token)
    if (groups.code || groups.japanese) return token
    if (groups.number) return token.replace(/\D/g, '').length <= MAX_DIGITS ? token : standIns.mask(token)
    if (groups.word && KNOWN.has(token.normalize('NFKC').toLowerCase())) return token
    return standIns.mask(token)
  })
}
