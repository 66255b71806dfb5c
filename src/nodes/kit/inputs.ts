import { z } from 'zod'
import { type NamedDevice, type NamedSelection, nameDevice, type Selection } from '../../lib/collect/devices'
import { EnvlogError } from '../../lib/errors'
import { isSerial } from '../../shared/action'
import type { CommonSettings } from './settings'
import { type Evaluate, sourceOf } from './typed-value'

/** Which devices a trigger is for: from the saved settings, or from the message and what else a typed input can name. */

const serial = z
  .union([z.string(), z.number()])
  .transform((value) => String(value).trim())
  .refine(isSerial)
/** A serial, or an object with one: the `base` of a current reading. */
const unit = z.union([serial, z.object({ serial }).transform((found) => found.serial)])
/** Blank is none. */
const optionalUnit = z.preprocess((value) => (value === '' ? null : value), unit.nullish())
const several = z.union([unit.transform((one) => [one]), z.array(unit)])
/** Names of groups, or objects with one: the `group` of a current reading. */
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

/** @throws EnvlogError `devices-missing`, `devices-empty`, `devices-unreadable`, naming the property */
export async function selectionFrom(settings: CommonSettings, evaluate: Evaluate): Promise<Selection> {
  const { select, devices, bases, groups } = settings
  if (select === 'all') return 'all'
  if (select === 'list') return eachOnce([{ devices, bases }])
  if (select === 'base') return eachOnce([{ bases }])
  if (select === 'group') return eachOnce([{ groups }])
  const property = sourceOf(settings)
  // Node-RED throws where an object on the way is missing.
  const value = await evaluate(settings.property, settings.propertyType).catch(() => undefined)
  if (value === undefined || value === null) throw new EnvlogError('devices-missing', { property })
  const result = selections.safeParse(settings.propertyType === 'env' ? unpacked(value) : value)
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

/** The environment has nothing but text: several serials with commas between, or JSON. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    if (/^\s*[[{]/.test(value)) return JSON.parse(value)
  } catch {
    return value
  }
  return value.trim() === '' ? [] : value.split(',').map((one) => one.trim())
}
