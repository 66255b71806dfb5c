import type { Limit } from '../../shared/limits-schema'
import type { Quantity } from '../../shared/quantity'

/** The parts of a device and of a channel by which limits choose. */
export interface Device {
  base: string
  serial: string
  /** Name of the group; `null` if none. */
  group: string | null
}

export interface Channel {
  number: number
  quantity: Quantity | null
}

/** The limits that apply to a channel: for each name, the first one that matches. */
export function limitsFor(limits: readonly Limit[], device: Device, channel: Channel): Limit[] {
  const found: Limit[] = []
  for (const limit of limits)
    if (isFor(limit, device) && measures(limit, channel) && !found.some(({ name }) => name === limit.name))
      found.push(limit)
  return found
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

export const measures = ({ quantity, channel }: Limit, measured: Channel) =>
  channel === null ? (quantity ?? 'temperature') === measured.quantity : channel === measured.number
