import type { Identity } from '../decode/fields'

/** Who was measured; the beginning of every element and series. */
export interface Device {
  serial: string
  name: string
  model: string
  base: { serial: string; name: string; model: string }
  /** True where base and device serial are equal. */
  standalone: boolean
}

/** A device told by the service; without a base unit it is its own (docs/service.md, *Terms*). */
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
