import * as z from 'zod/mini'
import {
  type NamedDevice,
  type NamedSelection,
  nameDevice,
  type Selection,
} from '../../../lib/collect/devices'
import { EnvlogError } from '../../../lib/errors'
import { type ActionType, isSerial } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import { MAX_ELEMENTS } from '../../../shared/schema'
import { type Evaluate, formatTypedInput } from './typed-input'

/** Determines the devices for a trigger, from the settings or from a typed input (docs/nodes.md, *All four nodes*). */

/** A schema with converted output. */
const converted = <T extends z.ZodMiniType, R>(schema: T, convert: (found: z.output<T>) => R) =>
  z.pipe(schema, z.transform(convert))

/**
 * A single element or a list of elements. It is read only up to the first one that is not valid, because a message may
 * have a list of any length, and what is wrong with each element takes long to find.
 */
const oneOrList = <T extends z.ZodMiniType>(element: T) =>
  z.transform((value, { issues }): z.output<T>[] => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    const found: z.output<T>[] = []
    for (const one of list) {
      const result = list.length > MAX_ELEMENTS ? undefined : z.safeParse(element, one)
      if (!result?.success) {
        issues.push({ code: 'custom', input: value })
        break
      }
      found.push(result.data)
    }
    return found
  })

const textOrNumber = z.union([z.string(), z.number()])
const serial = converted(textOrNumber, (value) => String(value).trim()).check(z.refine(isSerial))
/** A serial, or an object with one, such as the `base` of a current reading. */
const unit = z.union([serial, converted(z.object({ serial }), (found) => found.serial)])
/** Blank text counts as missing. */
const optionalUnit = z.nullish(z.union([unit, z.literal('')]))
/** The name of a group, or an object with one, such as the `group` of a current reading. */
const text = z.string().check(z.minLength(1))
const name = z.union([text, converted(z.object({ name: text }), (found) => found.name)])

const named = z.union([
  converted(serial, (found): Named => ({ devices: [{ serial: found }] })),
  converted(
    z.object({ serial, base: optionalUnit }),
    (found): Named => ({ devices: [nameDevice(found.serial, found.base)] }),
  ),
  converted(
    z.strictObject({ remote: oneOrList(unit) }),
    ({ remote }): Named => ({ devices: remote.map((found) => ({ serial: found, isRemote: true })) }),
  ),
  converted(z.strictObject({ base: oneOrList(unit) }), ({ base }): Named => ({ bases: base })),
  converted(z.strictObject({ group: oneOrList(name) }), ({ group }): Named => ({ groups: group })),
])
const selections = oneOrList(named)

type Named = Partial<NamedSelection>

/**
 * The devices chosen by the settings or by their typed input, without duplicates.
 * @throws EnvlogError `devices-missing`, `devices-empty` or `devices-unreadable` with the property
 */
export async function evaluateSelection(
  settings: Pick<SettingsOf<ActionType>, keyof NamedSelection | 'select' | 'property' | 'propertyType'>,
  evaluate: Evaluate,
): Promise<Selection> {
  const { select, devices, bases, groups } = settings
  if (select === 'all') return 'all'
  if (select !== 'msg')
    return withoutDuplicates([{ list: { devices, bases }, base: { bases }, group: { groups } }[select]])
  const property = formatTypedInput(settings.property, settings.propertyType)
  const value = await evaluate(settings.property, settings.propertyType)
  if (value === undefined || value === null) throw new EnvlogError('devices-missing', { property })
  const isList = settings.propertyType === 'env' && typeof value === 'string'
  const result = z.safeParse(selections, isList ? splitList(value) : value)
  if (!result.success) throw new EnvlogError('devices-unreadable', { property })
  const found = withoutDuplicates(result.data)
  if (Object.values(found).flat().length === 0) throw new EnvlogError('devices-empty', { property })
  return found
}

function withoutDuplicates(all: readonly Named[]): NamedSelection {
  const devices = new Map<string, NamedDevice>()
  for (const device of all.flatMap((selection) => selection.devices ?? [])) {
    const key = JSON.stringify([device.serial, device.base])
    if (!devices.has(key)) devices.set(key, device)
  }
  const bases = new Set(all.flatMap((selection) => selection.bases ?? []))
  const groups = new Set(all.flatMap((selection) => selection.groups ?? []))
  return { devices: [...devices.values()], bases: [...bases], groups: [...groups] }
}

/** The serials in the text of an environment variable, separated by commas. */
const splitList = (text: string) => (text.trim() === '' ? [] : text.split(',').map((serial) => serial.trim()))
