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

/** Words of the four kinds the description names (*Alert log entry*), English and Japanese. */
const words: readonly (readonly [AlertKind, RegExp])[] = [
  ['upper-limit', /\b(upper|high)[ -]?(limit|alarm|alert|threshold)\b|上限/],
  ['lower-limit', /\b(lower|low)[ -]?(limit|alarm|alert|threshold)\b|下限/],
  [
    'recovered',
    /\b(return(ed|s)?|back) to (the )?normal\b|\brecover(ed|y|s)?\b|\bnormali[sz]ed\b|復帰|復旧|正常に戻/,
  ],
  [
    'sensor-error',
    /\bsensor[ -]?(error|fault|failure|abnormality|disconnect(ed|ion)?)\b|センサー?\s*(異常|エラー|断線|未接続)/,
  ],
]

/** Words that may turn a sentence round: with one of them nothing is certain. */
const NEGATION =
  /\b(not|no|never|without|yet|until|if)\b|n't\b|未復|復帰しな|復旧しな|戻らな|ません|(?<!越え|超え)ない|でない/

/**
 * Reads the kind from free text whose grammar is not known. The channel's own name is taken out first, so that
 * a channel called *Upper limit* means nothing. A recovery may name what it recovers from.
 */
export function alertKind(source: AlertSource, text: string, channelName: string): AlertKind {
  const plain = text.normalize('NFKC').toLowerCase()
  const name = channelName.normalize('NFKC').toLowerCase()
  const rest = name === '' ? plain : plain.replaceAll(name, ' ')
  const doubtful = NEGATION.test(rest)
  const found = words.filter(([, pattern]) => pattern.test(rest)).map(([kind]) => kind)
  if (found.includes('recovered') && !doubtful) return 'recovered'
  if (source === 'battery' || source === 'communication') return source
  return found.length === 1 && !doubtful ? (found[0] ?? 'other') : 'other'
}
