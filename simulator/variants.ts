/**
 * How the live service differs from its description, each difference a switch. `described` has every switch as
 * the description says (docs/service.md).
 */
export interface Variants {
  /** *unixtime-from, unixtime-to*: both bounds inclusive */
  inclusiveBounds: boolean
  /** *Number or text*: every number as text, or every number as number */
  numbers: 'described' | 'text' | 'number'
  /** *Offsets' spelling* */
  offsetSpelling: 'described' | 'underscore' | 'hyphen'
  /** *dst-flg*: left out of alert and latest-data-relay */
  dstFlag: 'described' | 'missing'
  /** *dst_bias*: 60 on every endpoint, daylight saving or not */
  dstBias: 'described' | '60'
  /** *num of a standalone device in current* */
  standaloneNum: 0 | 1
  /** *channel[].num on data, latest-data*: the number that stands for ch1 */
  channelBase: 'described' | 0 | 1
  /** *Channels*: the highest channel that data and latest-data return */
  standaloneChannels: 2 | 4 | 6
  /** *baseunit, group*: one object, or an array of one */
  nested: 'object' | 'array'
  /** *baseunit, group*: a device without a group has `[]` */
  noGroup: 'described' | 'empty-array'
  /** *baseunit, group*: a standalone device has `[]` for its base unit */
  noBaseunit: 'described' | 'empty-array'
  /** *rssi, channel.name, value, group.name*: these are `""` */
  blank: readonly Blank[]
  /** rssi is left out, as it may be (docs/service.md, *Fields*) */
  rssiMissing: boolean
  /** *Record order*; `arrival` is as received, which differs where a clock was set back */
  recordOrder: 'ascending' | 'descending' | 'shuffled' | 'arrival'
  /** fields nobody described, at every level */
  extraFields: boolean
  /** *CSV*: a byte order mark */
  csvBom: boolean
  /** *CSV*: spaces inside the quotes */
  csvSpaces: boolean
  /** *CSV*: labels' language */
  csvLabels: 'en' | 'ja'
  /** *CSV*: CRLF, or LF after a careless proxy */
  csvLineEnd: 'crlf' | 'lf'
  /** *type on latest-data*: csv2 as well */
  csv2OnLatestData: boolean
  /** *Further parameters*: temperature-unit is honoured on the graph endpoints */
  temperatureUnit: boolean
  /** *Error text in value*: the wording of a failed channel in current; null: that of the device */
  errorText: string | null
  /** *Codes*: the message's language */
  errorLanguage: 'en' | 'ja'
  /** *Codes*: error.code as text */
  errorCode: 'number' | 'text'
  /** *Rate headers*: absent or odd */
  rateHeaders: 'described' | 'absent' | 'text' | 'empty' | 'negative'
  /** a refusal says when to come back, in seconds; null: it does not (docs/service.md, *Limits*) */
  retryAfter: number | null
  /** *Unknown serial with csv2*: status 200 and the body `Array` */
  unknownSerialCsv2: 'error' | 'array'
  /** an unknown serial in a filter of current: no match, or an error */
  unknownInCurrent: 'absent' | 'error'
}

export const blanks = ['rssi', 'channel.name', 'value', 'group.name', 'unixtime'] as const
export type Blank = (typeof blanks)[number]

export const described: Readonly<Variants> = {
  inclusiveBounds: false,
  numbers: 'described',
  offsetSpelling: 'described',
  dstFlag: 'described',
  dstBias: 'described',
  standaloneNum: 0,
  channelBase: 'described',
  standaloneChannels: 2,
  nested: 'object',
  noGroup: 'described',
  noBaseunit: 'described',
  blank: [],
  rssiMissing: false,
  recordOrder: 'ascending',
  extraFields: false,
  csvBom: false,
  csvSpaces: false,
  csvLabels: 'en',
  csvLineEnd: 'crlf',
  csv2OnLatestData: false,
  temperatureUnit: false,
  errorText: null,
  errorLanguage: 'en',
  errorCode: 'number',
  rateHeaders: 'described',
  retryAfter: null,
  unknownSerialCsv2: 'error',
  unknownInCurrent: 'absent',
}

/** What each switch may be: for options that come in as text or JSON. */
export const choices: { readonly [K in keyof Variants]: readonly unknown[] | 'text' | 'count' | 'blanks' } = {
  inclusiveBounds: [false, true],
  numbers: ['described', 'text', 'number'],
  offsetSpelling: ['described', 'underscore', 'hyphen'],
  dstFlag: ['described', 'missing'],
  dstBias: ['described', '60'],
  standaloneNum: [0, 1],
  channelBase: ['described', 0, 1],
  standaloneChannels: [2, 4, 6],
  nested: ['object', 'array'],
  noGroup: ['described', 'empty-array'],
  noBaseunit: ['described', 'empty-array'],
  blank: 'blanks',
  rssiMissing: [false, true],
  recordOrder: ['ascending', 'descending', 'shuffled', 'arrival'],
  extraFields: [false, true],
  csvBom: [false, true],
  csvSpaces: [false, true],
  csvLabels: ['en', 'ja'],
  csvLineEnd: ['crlf', 'lf'],
  csv2OnLatestData: [false, true],
  temperatureUnit: [false, true],
  errorText: 'text',
  errorLanguage: ['en', 'ja'],
  errorCode: ['number', 'text'],
  rateHeaders: ['described', 'absent', 'text', 'empty', 'negative'],
  retryAfter: 'count',
  unknownSerialCsv2: ['error', 'array'],
  unknownInCurrent: ['absent', 'error'],
}
