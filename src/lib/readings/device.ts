import type { CurrentDevice } from '../decode/current-device'
import type { Identity, KnownFields } from '../decode/fields'

/** A device in messages: the first properties of every reading, alert and series (docs/messages.md). */
export interface Device {
  serial: string
  name: string
  model: string
  base: { serial: string; name: string; model: string }
  /** True where base and device serial are equal. */
  standalone: boolean
}

/** Reads a device of an answer. Without a base unit it is its own (docs/service.md, *Terms*). */
export function readDevice({ serial, name, model }: Identity, base: Identity | null): Device {
  const unit = base ?? { serial, name, model }
  return {
    serial,
    name,
    model,
    base: { serial: unit.serial, name: unit.name, model: unit.model },
    standalone: unit.serial === serial,
  }
}

/** Where a device of `current` belongs and what it is called. Without a base unit it is its own. */
export function knownFieldsOf({
  serial,
  name,
  baseunit,
  group,
}: Pick<CurrentDevice, 'serial' | 'name' | 'baseunit' | 'group'>): KnownFields {
  return { base: baseunit?.serial ?? serial, name, group: group?.name ?? '' }
}

/** True for a device of `current` that sends its readings by a base unit. */
export const isRemoteUnit = ({ serial, baseunit }: Pick<CurrentDevice, 'serial' | 'baseunit'>) =>
  baseunit !== null && baseunit.serial !== serial
