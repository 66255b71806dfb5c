/**
 * Known or possible differences between the live service and its description, each as a switch with its values
 * (docs/service.md, *Fields* and *Assumptions*). The first value is the described one.
 */
export const choices = {
  /** both bounds of a period are inclusive */
  inclusiveBounds: [false, true],
  /** all numbers are sent as text, or all as JSON numbers */
  numbers: ['described', 'text', 'number'],
  /** spelling of the offset names */
  offsetSpelling: ['described', 'underscore', 'hyphen'],
  /** `dst-flg` is missing on alert and latest-data-relay */
  dstFlag: ['described', 'missing'],
  /** `dst-bias` is 60 on every endpoint, even for a device without daylight saving time */
  dstBias: ['described', '60'],
  /** `num` of a standalone device in current */
  standaloneNum: [0, 1],
  /** `channel[].num` of ch1 on data and latest-data */
  channelBase: ['described', 0, 1],
  /** the highest channel that data and latest-data return */
  standaloneChannels: [2, 4, 6],
  /** `baseunit` and `group` are objects, or arrays with one object */
  nested: ['object', 'array'],
  /** a device without a group has `[]` as `group` */
  noGroup: ['described', 'empty-array'],
  /** a standalone device has `[]` as `baseunit` */
  noBaseunit: ['described', 'empty-array'],
  /** rssi is omitted, which is allowed (docs/service.md, *Fields*) */
  rssiMissing: [false, true],
  /** order of records; `arrival` differs from `ascending` if records did not arrive in order of time */
  recordOrder: ['ascending', 'descending', 'shuffled', 'arrival'],
  /** undescribed fields at every level */
  extraFields: [false, true],
  /** CSV begins with a byte order mark */
  csvBom: [false, true],
  /** spaces inside the quotes of CSV */
  csvSpaces: [false, true],
  /** language of the CSV header rows */
  csvLabels: ['en', 'ja'],
  /** line ends of CSV; a proxy may change CRLF to LF */
  csvLineEnd: ['crlf', 'lf'],
  /** latest-data also accepts csv2 */
  csv2OnLatestData: [false, true],
  /** the graph endpoints apply `temperature-unit` */
  temperatureUnit: [false, true],
  /** language of error messages */
  errorLanguage: ['en', 'ja'],
  /** type of `error.code` */
  errorCode: ['number', 'text'],
  /** rate headers as described, absent or invalid */
  rateHeaders: ['described', 'absent', 'text', 'empty', 'negative'],
  /** an unknown serial with csv2 gets an error, or status 200 and the body `Array` */
  unknownSerialCsv2: ['error', 'array'],
} as const

export const blanks = ['rssi', 'channel.name', 'value', 'group.name', 'unixtime'] as const

type Choices = typeof choices

export type Variants = { [K in keyof Choices]: Choices[K][number] } & {
  /** these fields of current are `""` */
  blank: readonly (typeof blanks)[number][]
  /** error text of a failed channel in current; null: the text of the device */
  errorText: string | null
}

export const described: Readonly<Variants> = {
  ...(Object.fromEntries(
    Object.entries(choices).map(([name, [value]]) => [name, value]),
  ) as object as Variants),
  blank: [],
  errorText: null,
}
