import type { CurrentDevice } from '../decode/envelopes'
import type { Identity } from '../decode/fields'

/** A device in messages: the first properties of every reading, alert and series (docs/messages.md). */
export interface Device {
  serial: string
  name: string
  model: string
  base: { serial: string; name: string; model: string }
  /** Whether the serials of base unit and device are equal. */
  standalone: boolean
}

/** Reads a device of a response. A device without a base unit is its own base unit (docs/glossary.md). */
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

/** Whether a standalone device belongs to series 1, according to the beginning of its model. */
export const isSeries1 = (
  { standalone, model }: Pick<Device, 'standalone' | 'model'>,
  models: readonly string[],
) => standalone && models.some((prefix) => model.startsWith(prefix))

/** Whether a device in a response of `current` sends its readings through a base unit. */
export const isRemoteUnit = ({ serial, baseunit }: Pick<CurrentDevice, 'serial' | 'baseunit'>) =>
  baseunit !== null && baseunit.serial !== serial
