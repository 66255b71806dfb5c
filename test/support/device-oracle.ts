/** A second decoder of a device of `current`, in zod: slow, and easy to compare with the description. */
import { z } from 'zod'
import { listOf, offsetFields, readOffsets, textField } from '../../src/lib/decode/fields'
import { readNumber } from '../../src/lib/decode/number'

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
