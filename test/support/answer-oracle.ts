/** A second decoder of answers, in zod: slow, and easy to compare with the description. */
import { z } from 'zod'
import { readElements } from '../../src/lib/decode/fields'
import { readNumber } from '../../src/lib/decode/number'
import { sanitizeText } from '../../src/lib/decode/text'

const optionalScalar = z.union([z.string(), z.number(), z.null()]).optional()

const textField = optionalScalar.transform((value) =>
  value === null || value === undefined ? '' : sanitizeText(String(value)),
)

const numberField = optionalScalar.transform((value, context) => {
  if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) return null
  const number = readNumber(value)
  if (number === null) context.addIssue({ code: 'custom', message: 'not a number' })
  return number
})

const minutesField = numberField
  .refine((value) => value === null || Math.abs(value) <= 1440)
  .transform((value) => value && Math.round(value))

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
const offsetsObject = z.object(offsetFields)

const readOffsets = (fields: z.infer<typeof offsetsObject>) => ({
  timeDiff: fields['time-diff'] ?? fields.time_diff ?? 0,
  stdBias: fields['std-bias'] ?? fields.std_bias ?? 0,
  dstBias: fields['dst-bias'] ?? fields.dst_bias ?? 0,
  dstFlag: fields['dst-flg'] ?? fields.dst_flg ?? null,
})

const requiredListOf = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => readElements(value) ?? value, z.array(schema))

const listOf = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (isAbsent(value) ? [] : value), requiredListOf(schema))

const anyNumber = z.unknown().optional().transform(readNumber)
const isAbsent = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const one = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (isAbsent(value) ? null : Array.isArray(value) ? value[0] : value),
    z.union([schema, z.null()]),
  )

const device = z
  .object({
    serial: textField.refine((value) => value !== ''),
    model: textField,
    name: textField,
    ...offsetFields,
    num: anyNumber,
    battery: anyNumber,
    rssi: anyNumber,
    unixtime: z.unknown().optional(),
    channel: listOf(
      z.object({ num: anyNumber, name: textField, unit: textField, value: z.unknown().optional() }),
    ),
    baseunit: one(z.object({ serial: textField, model: textField, name: textField })),
    group: one(z.object({ num: anyNumber, name: textField })),
  })
  .transform(({ serial, model, name, num, battery, rssi, unixtime, channel, baseunit, group, ...more }) => ({
    ...{ serial, model, name, num, battery, rssi, unixtime },
    channel: channel.map((each) => ({ ...each, value: each.value })),
    baseunit: baseunit?.serial ? baseunit : null,
    group,
    offsets: readOffsets(more),
  }))

/** Decodes the device; `undefined` if it is unreadable. */
export function deviceByOracle(found: unknown) {
  const result = device.safeParse(found)
  return result.success ? result.data : undefined
}

const graph = z
  .object({
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
    channel: listOf(z.object({ num: anyNumber, name: textField, unit: textField })),
    data: requiredListOf(z.unknown()),
  })
  .refine((fields) => (fields['remote-serial'] || fields.serial) !== '', { path: ['serial'] })
  .transform((fields) => ({
    device: {
      serial: fields['remote-serial'] || fields.serial,
      model: fields['remote-model'] || fields.model,
      name: fields['remote-name'] || fields.name,
    },
    base: fields['base-serial'] && {
      serial: fields['base-serial'],
      model: fields['base-model'],
      name: fields['base-name'],
    },
    channel: fields.channel,
    offsets: readOffsets(fields),
  }))

/** Decodes an answer with records, or finds the path of its first invalid part. */
export function graphByOracle(found: unknown) {
  const result = graph.safeParse(found)
  if (!result.success) return { part: result.error.issues[0]?.path.join('.') }
  return { ...result.data, base: result.data.base || null }
}
