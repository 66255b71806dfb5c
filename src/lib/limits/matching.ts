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

interface WholeDevice extends Device {
  channels: ReadonlyMap<number, Channel>
}

/**
 * What no device matches, with the names of the limits: a misspelt or replaced device, a renamed group, a quantity that
 * no device measures, …; `null` if there is nothing.
 */
export function unmatched(limits: readonly Limit[], devices: readonly WholeDevice[]): string | null {
  const names = limits.flatMap((limit) =>
    unmatchedParts(limit, devices).map((part) => `${limit.name || 'limit'}: ${part}`),
  )
  if (names.length > MAX_NAMES) names.splice(MAX_NAMES, names.length, '…')
  return names.join(', ') || null
}

function unmatchedParts(limit: Limit, devices: readonly WholeDevice[]): string[] {
  const parts: Part[] = {
    all: [],
    list: [...limit.devices.map(ofDevice), ...limit.bases.map(ofBase)],
    base: limit.bases.map(ofBase),
    group: limit.groups.map(ofGroup),
  }[limit.select]
  const missing = parts.filter(([, part]) => !devices.some((device) => isFor({ ...limit, ...part }, device)))
  const chosen = devices.filter((device) => isFor(limit, device))
  const channels = chosen.flatMap((device) => [...device.channels.values()])
  // A limit for all devices may be for a quantity that none has, unless a channel of an unknown quantity is meant.
  const isOptional = limit.select === 'all' && channels.every(({ quantity }) => quantity !== null)
  const isUnmeasured = chosen.length > 0 && !channels.some((channel) => measures(limit, channel))
  const what = limit.channel === null ? (limit.quantity ?? 'temperature') : `ch${limit.channel}`
  return [...missing.map(([name]) => name), ...(isUnmeasured && !isOptional ? [what] : [])]
}

type Part = [name: string, part: Partial<Limit>]
const ofDevice = (device: Limit['devices'][number]): Part => [device.serial, { devices: [device], bases: [] }]
const ofBase = (base: string): Part => [base, { devices: [], bases: [base] }]
const ofGroup = (group: string): Part => [group, { groups: [group] }]

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
