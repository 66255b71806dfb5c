import type { Limit } from '../../shared/limits-schema'
import type { Quantity } from '../../shared/quantity'

interface Device {
  base: string
  serial: string
  /** Name of the group; `null` if none. */
  group: string | null
}

interface Channel {
  number: number
  quantity: Quantity | null
}

/** The limits that apply to a channel: for each name, the first one that matches. */
export function limitsFor(limits: readonly Limit[], device: Device, channel: Channel): Limit[] {
  const byName = new Map<string, Limit>()
  for (const limit of limits)
    if (!byName.has(limit.name) && isFor(limit, device) && measures(limit, channel))
      byName.set(limit.name, limit)
  return [...byName.values()]
}

/** Maximum number of names in a text. */
const MAX_NAMES = 10
/** Stands for further names. */
const MORE = '…'

interface WholeDevice extends Device {
  channels: ReadonlyMap<number, Channel>
}

/**
 * What no device matches, with the names of the limits: a misspelt or replaced device, a renamed group, a quantity that
 * no device measures, …; `null` if there is nothing.
 */
export function unmatched(limits: readonly Limit[], devices: readonly WholeDevice[]): string | null {
  const find = createFinder(devices)
  const names = limits.flatMap((limit) =>
    unmatchedParts(limit, find).map((part) => `${limit.name || 'limit'}: ${part}`),
  )
  if (names.length > MAX_NAMES) names.splice(MAX_NAMES, names.length, MORE)
  return names.join(', ') || null
}

/** Whether a text of `unmatched` names something that an earlier one neither names nor stands for. */
export function hasMore(text: string, before: string | null): boolean {
  const known = before?.split(', ') ?? []
  return !known.includes(MORE) && text.split(', ').some((name) => !known.includes(name))
}

/** Part of the choice of a limit, and the devices that match it. */
interface Part {
  name: string
  found: readonly WholeDevice[]
}

function unmatchedParts(limit: Limit, find: Finder): string[] {
  const { select, channel, quantity } = limit
  const parts = find(limit)
  const missing = parts.filter(({ found }) => found.length === 0 && select !== 'all').map(({ name }) => name)
  const has = (test: (measured: Channel) => boolean) =>
    parts.some(({ found }) => found.some(({ channels }) => [...channels.values()].some(test)))
  if (missing.length === parts.length || has((measured) => measures(limit, measured))) return missing
  // A limit for all devices may be for a quantity that none has, unless a channel of an unknown quantity is meant.
  const isMeant = (measured: Channel) => channel === null && measured.quantity === null
  if (select === 'all' && !has(isMeant)) return missing
  return [...missing, channel === null ? (quantity ?? 'temperature') : `ch${channel}`]
}

type Finder = (limit: Limit) => Part[]

/** Finds devices without searching all of them, because there may be thousands, and as many limits. */
function createFinder(devices: readonly WholeDevice[]): Finder {
  const by = (keyOf: (device: WholeDevice) => string | null) => {
    const found = new Map<string, WholeDevice[]>()
    for (const device of devices) {
      const key = keyOf(device)
      if (key === null) continue
      const others = found.get(key)
      if (others) others.push(device)
      else found.set(key, [device])
    }
    return (name: string): Part => ({ name, found: found.get(name) ?? [] })
  }
  const [ofSerial, ofBase, ofGroup] = [
    by(({ serial }) => serial),
    by(({ base }) => base),
    by(({ group }) => group),
  ]
  const ofDevice = ({ serial, base }: Limit['devices'][number]): Part => ({
    name: serial,
    found: ofSerial(serial).found.filter((device) => device.base === (base ?? device.base)),
  })
  return ({ select, devices: named, bases, groups }) => {
    if (select === 'all') return [{ name: '', found: devices }]
    if (select === 'group') return groups.map(ofGroup)
    return [...(select === 'list' ? named.map(ofDevice) : []), ...bases.map(ofBase)]
  }
}

function isFor({ select, devices, bases, groups }: Limit, { base, serial, group }: Device): boolean {
  const isChosen = () => devices.some((chosen) => chosen.serial === serial && (chosen.base ?? base) === base)
  switch (select) {
    case 'all':
      return true
    case 'list':
      return isChosen() || bases.includes(base)
    case 'base':
      return bases.includes(base)
    case 'group':
      return group !== null && groups.includes(group)
  }
}

const measures = ({ quantity, channel }: Limit, measured: Channel) =>
  channel === null ? (quantity ?? 'temperature') === measured.quantity : channel === measured.number
