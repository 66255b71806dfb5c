import * as v from 'valibot'
import {
  type NamedDevice,
  type NamedSelection,
  nameDevice,
  type Selection,
} from '../../../lib/collect/devices'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'
import type { CommonSettings } from './action-settings'
import { type Evaluate, formatTypedInput } from './typed-input'

/**
 * The devices that a trigger is for: those of the settings, or those that a typed input names (docs/nodes.md, *All four
 * nodes*).
 */

/** Where a list is accepted, one of its elements is too. */
const one = <T>(element: T): T[] => [element]

const serial = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform((value) => String(value).trim()),
  v.check(isSerial),
)
/** A serial, or an object with one, such as the `base` of a current reading. */
const unit = v.union([
  serial,
  v.pipe(
    v.object({ serial }),
    v.transform((found) => found.serial),
  ),
])
/** A blank text counts as missing. */
const optionalUnit = v.nullish(
  v.union([
    unit,
    v.pipe(
      v.literal(''),
      v.transform(() => null),
    ),
  ]),
)
const several = v.union([v.pipe(unit, v.transform(one)), v.array(unit)])
/** The name of a group, or an object with one, such as the `group` of a current reading. */
const text = v.pipe(v.string(), v.minLength(1))
const name = v.union([
  text,
  v.pipe(
    v.object({ name: text }),
    v.transform((found) => found.name),
  ),
])
const names = v.union([v.pipe(name, v.transform(one)), v.array(name)])

const named = v.union([
  v.pipe(
    serial,
    v.transform((found): Named => ({ devices: [{ serial: found }] })),
  ),
  v.pipe(
    v.object({ serial, base: optionalUnit }),
    v.transform((found): Named => ({ devices: [nameDevice(found.serial, found.base)] })),
  ),
  v.pipe(
    v.strictObject({ remote: several }),
    v.transform(({ remote }): Named => ({ devices: remote.map((found) => ({ serial: found })) })),
  ),
  v.pipe(
    v.strictObject({ base: several }),
    v.transform(({ base }): Named => ({ bases: base })),
  ),
  v.pipe(
    v.strictObject({ group: names }),
    v.transform(({ group }): Named => ({ groups: group })),
  ),
])
const selections = v.union([v.pipe(named, v.transform(one)), v.array(named)])

type Named = Partial<NamedSelection>

/**
 * The devices that the settings choose, each once; evaluates the typed input where they choose by it.
 * @throws EnvlogError `devices-missing`, `devices-empty` or `devices-unreadable` with the property
 */
export async function evaluateSelection(settings: CommonSettings, evaluate: Evaluate): Promise<Selection> {
  const { select, devices, bases, groups } = settings
  if (select === 'all') return 'all'
  if (select === 'list') return eachOnce([{ devices, bases }])
  if (select === 'base') return eachOnce([{ bases }])
  if (select === 'group') return eachOnce([{ groups }])
  const property = formatTypedInput(settings.property, settings.propertyType)
  // Node-RED throws where a parent object of the property is missing.
  const value = await evaluate(settings.property, settings.propertyType).catch(() => undefined)
  if (value === undefined || value === null) throw new EnvlogError('devices-missing', { property })
  const result = v.safeParse(selections, settings.propertyType === 'env' ? parseText(value) : value)
  if (!result.success) throw new EnvlogError('devices-unreadable', { property })
  const found = eachOnce(result.output)
  if (Object.values(found).flat().length === 0) throw new EnvlogError('devices-empty', { property })
  return found
}

function eachOnce(all: readonly Named[]): NamedSelection {
  const devices = new Map<string, NamedDevice>()
  for (const device of all.flatMap((one) => one.devices ?? [])) devices.set(JSON.stringify(device), device)
  const bases = new Set(all.flatMap((one) => one.bases ?? []))
  const groups = new Set(all.flatMap((one) => one.groups ?? []))
  return { devices: [...devices.values()], bases: [...bases], groups: [...groups] }
}

/** Environment variables are texts: JSON, or serials separated by commas. */
function parseText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    if (/^\s*[[{]/.test(value)) return JSON.parse(value)
  } catch {
    return value
  }
  return value.trim() === '' ? [] : value.split(',').map((one) => one.trim())
}
