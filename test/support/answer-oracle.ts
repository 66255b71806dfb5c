/** A second decoder of answers, as schemas: slow, and easy to compare with the description. */
import * as v from 'valibot'
import { readElements } from '../../src/lib/decode/fields'
import { readNumber } from '../../src/lib/decode/number'
import { sanitizeText } from '../../src/lib/decode/text'

const isAbsent = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const scalar = v.nullable(v.union([v.string(), v.pipe(v.number(), v.finite())]))

const textField = v.optional(
  v.pipe(
    scalar,
    v.transform((value) => (value === null ? '' : sanitizeText(String(value)))),
  ),
  null,
)

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')

const numberField = v.optional(
  v.pipe(
    scalar,
    v.check((value) => isBlank(value) || readNumber(value) !== null),
    v.transform((value) => (isBlank(value) ? null : readNumber(value))),
  ),
  null,
)

const minutesField = v.pipe(
  numberField,
  v.check((value) => value === null || Math.abs(value) <= 1440),
  v.transform((value) => value && Math.round(value)),
)

const offsetFields = {
  'time-diff': minutesField,
  time_diff: minutesField,
  'std-bias': minutesField,
  std_bias: minutesField,
  'dst-bias': minutesField,
  dst_bias: minutesField,
  'dst-flg': numberField,
  dst_flg: numberField,
}

const readOffsets = (fields: v.InferOutput<v.ObjectSchema<typeof offsetFields, undefined>>) => ({
  timeDiff: fields['time-diff'] ?? fields.time_diff ?? 0,
  stdBias: fields['std-bias'] ?? fields.std_bias ?? 0,
  dstBias: fields['dst-bias'] ?? fields.dst_bias ?? 0,
  dstFlag: fields['dst-flg'] ?? fields.dst_flg ?? null,
})

const anything = v.optional(v.unknown(), null)
const anyNumber = v.pipe(anything, v.transform(readNumber))

/** The schema's own objects accept arrays. */
const object = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value)),
    v.object(entries),
  )

const requiredListOf = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => readElements(value) ?? value),
    v.array(schema),
  )

const listOf = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => (isAbsent(value) ? [] : value)),
      requiredListOf(schema),
    ),
    null,
  )

const one = <T>(schema: v.GenericSchema<unknown, T>) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => (isAbsent(value) ? null : Array.isArray(value) ? value[0] : value)),
      v.nullable(schema),
    ),
    null,
  )

const channelFields = { num: anyNumber, name: textField, unit: textField }

const device = v.pipe(
  object({
    serial: v.pipe(textField, v.minLength(1)),
    model: textField,
    name: textField,
    ...offsetFields,
    num: anyNumber,
    battery: anyNumber,
    rssi: anyNumber,
    unixtime: v.optional(v.unknown()),
    channel: listOf(object({ ...channelFields, value: v.optional(v.unknown()) })),
    baseunit: one(object({ serial: textField, model: textField, name: textField })),
    group: one(object({ num: anyNumber, name: textField })),
  }),
  v.transform(({ serial, model, name, num, battery, rssi, unixtime, channel, baseunit, group, ...more }) => ({
    ...{ serial, model, name, num, battery, rssi, unixtime },
    channel: channel.map((each) => ({ ...each, value: each.value })),
    baseunit: baseunit?.serial ? baseunit : null,
    group,
    offsets: readOffsets(more),
  })),
)

/** Decodes the device; `undefined` if it is unreadable. */
export function deviceByOracle(found: unknown) {
  const result = v.safeParse(device, found)
  return result.success ? result.output : undefined
}

const graph = v.pipe(
  v.object({
    serial: textField,
    model: textField,
    name: textField,
    'remote-serial': textField,
    'remote-model': textField,
    'remote-name': textField,
    'base-serial': textField,
    'base-model': textField,
    'base-name': textField,
    ...offsetFields,
    channel: listOf(object(channelFields)),
    data: requiredListOf(v.unknown()),
  }),
  v.forward(
    v.check((fields) => (fields['remote-serial'] || fields.serial) !== ''),
    ['serial'],
  ),
  v.transform((fields) => ({
    device: {
      serial: fields['remote-serial'] || fields.serial,
      model: fields['remote-model'] || fields.model,
      name: fields['remote-name'] || fields.name,
    },
    base: fields['base-serial']
      ? { serial: fields['base-serial'], model: fields['base-model'], name: fields['base-name'] }
      : null,
    channel: fields.channel,
    offsets: readOffsets(fields),
  })),
)

/** Decodes an answer with records, or finds the path of its first invalid part. */
export function graphByOracle(found: unknown) {
  const result = v.safeParse(graph, found)
  return result.success ? result.output : { part: v.getDotPath(result.issues[0]) }
}
