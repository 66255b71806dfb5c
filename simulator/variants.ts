/**
 * Known or possible differences between the live service and its description, each as a switch (docs/service.md,
 * *Fields* and *Assumptions*). In `described`, each switch has the described value.
 */
export interface Variants {
  /** both bounds of a period are inclusive */
  inclusiveBounds: boolean
  /** all numbers are sent as text, or all as JSON numbers */
  numbers: 'described' | 'text' | 'number'
  /** spelling of the offset names */
  offsetSpelling: 'described' | 'underscore' | 'hyphen'
  /** `dst-flg` is missing on alert and latest-data-relay */
  dstFlag: 'described' | 'missing'
  /** `dst-bias` is 60 on every endpoint, even for a device without daylight saving time */
  dstBias: 'described' | '60'
  /** `num` of a standalone device in current */
  standaloneNum: 0 | 1
  /** `channel[].num` of ch1 on data and latest-data */
  channelBase: 'described' | 0 | 1
  /** the highest channel that data and latest-data return */
  standaloneChannels: 2 | 4 | 6
  /** `baseunit` and `group` are objects, or arrays with one object */
  nested: 'object' | 'array'
  /** a device without a group has `[]` as `group` */
  noGroup: 'described' | 'empty-array'
  /** a standalone device has `[]` as `baseunit` */
  noBaseunit: 'described' | 'empty-array'
  /** these fields of current are `""` */
  blank: readonly Blank[]
  /** rssi is omitted, which is allowed (docs/service.md, *Fields*) */
  rssiMissing: boolean
  /** order of records; `arrival` differs from `ascending` if records did not arrive in order of time */
  recordOrder: 'ascending' | 'descending' | 'shuffled' | 'arrival'
  /** undescribed fields at every level */
  extraFields: boolean
  /** CSV begins with a byte order mark */
  csvBom: boolean
  /** spaces inside the quotes of CSV */
  csvSpaces: boolean
  /** language of the CSV header rows */
  csvLabels: 'en' | 'ja'
  /** line ends of CSV; a proxy may change CRLF to LF */
  csvLineEnd: 'crlf' | 'lf'
  /** latest-data also accepts csv2 */
  csv2OnLatestData: boolean
  /** the graph endpoints apply `temperature-unit` */
  temperatureUnit: boolean
  /** error text of a failed channel in current; null: the text of the device */
  errorText: string | null
  /** language of error messages */
  errorLanguage: 'en' | 'ja'
  /** type of `error.code` */
  errorCode: 'number' | 'text'
  /** rate headers as described, absent or invalid */
  rateHeaders: 'described' | 'absent' | 'text' | 'empty' | 'negative'
  /** Retry-After of a 429, in seconds; null: none (docs/service.md, *Limits*) */
  retryAfter: number | null
  /** an unknown serial with csv2 gets an error, or status 200 and the body `Array` */
  unknownSerialCsv2: 'error' | 'array'
  /** an unknown serial in a filter of current matches nothing, or gets an error */
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

/** The allowed values of each switch, for validating options from text or JSON. */
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
