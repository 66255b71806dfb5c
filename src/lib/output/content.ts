import type { Alert } from '../readings/alerts'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import type { Series } from '../readings/series'

/** What an answer, or one device's answers, came to; what outputs are made of. */
export type Content =
  | { kind: 'current'; readings: readonly Reading[] }
  | { kind: 'series'; series: Series; group: string }
  | { kind: 'alerts'; device: Device; alerts: readonly Alert[]; group: string }

/** Whom a message is about: a device, or one value of it. */
export interface Subject {
  serial: string
  name: string
  /** The base unit's serial. */
  base: string
  /** The group's name, blank for none. */
  group: string
  channel?: { number: number; name: string; unit: string }
}

export function subjectOf({ serial, name, base }: Device, group: string): Subject {
  return { serial, name, base: base.serial, group }
}
