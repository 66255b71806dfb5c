import { z } from 'zod'
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

const serial = z
  .union([z.string(), z.number()])
  .transform((value) => String(value).trim())
  .refine(isSerial)
/** A serial, or an object with one, such as the `base` of a current reading. */
const unit = z.union([serial, z.object({ serial }).transform((found) => found.serial)])
/** A blank text counts as missing. */
const optionalUnit = z.preprocess((value) => (value === '' ? null : value), unit.nullish())
const several = z.union([unit.transform((one) => [one]), z.array(unit)])
/** The name of a group, or an object with one, such as the `group` of a current reading. */
const name = z.union([
  z.string().min(1),
  z.object({ name: z.string().min(1) }).transform((found) => found.name),
])
const names = z.union([name.transform((one) => [one]), z.array(name)])

const named = z.union([
  serial.transform((found): Named => ({ devices: [{ serial: found }] })),
  z
    .object({ serial, base: optionalUnit })
    .transform((found): Named => ({ devices: [nameDevice(found.serial, found.base)] })),
  z
    .strictObject({ remote: several })
    .transform(({ remote }): Named => ({ devices: remote.map((found) => ({ serial: found })) })),
  z.strictObject({ base: several }).transform(({ base }): Named => ({ bases: base })),
  z.strictObject({ group: names }).transform(({ group }): Named => ({ groups: group })),
])
const selections = z.union([named.transform((one) => [one]), z.array(named)])

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
  const result = selections.safeParse(settings.propertyType === 'env' ? parseText(value) : value)
  if (!result.success) throw new EnvlogError('devices-unreadable', { property })
  const found = eachOnce(result.data)
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
