import type { Limit } from '../../shared/limits-schema'
import { type Channel, type Device, limitsFor } from '../limits/matching'
import { converterOf } from '../readings/convert-temperatures'
import type { AppliedLimit } from './report-data'

interface MeasuringChannel extends Channel {
  unit: string
}

/** A limit of a channel, and how its values are converted to be compared. */
export interface ChannelLimit {
  shown: AppliedLimit
  /** The value in the unit of the limit. */
  convert(value: number): number
}

/** The limits of a channel: of each name, the first row that matches. */
export function limitsOf(rows: readonly Limit[], device: Device, channel: MeasuringChannel): ChannelLimit[] {
  return limitsFor(rows, device, channel).map((row) => applyTo(channel, row))
}

function applyTo({ quantity, unit }: MeasuringChannel, row: Limit): ChannelLimit {
  const { name, above, below, minutes, margin } = row
  const isTemperature = quantity === 'temperature'
  const convert = isTemperature ? converterOf({ unit }, row.unit) : undefined
  const isFahrenheit = unit === '°F'
  const back = convert && converterOf({ unit: `°${row.unit}` }, isFahrenheit ? 'F' : 'C')
  const toDrawn = (edge: number | null) => (edge === null || !back ? edge : back(edge))
  const shown = {
    ...{ name, above, below, minutes, margin },
    unit: isTemperature ? `°${row.unit}` : unit,
    drawnAbove: toDrawn(above),
    drawnBelow: toDrawn(below),
  }
  return { shown, convert: convert ?? ((value) => value) }
}
