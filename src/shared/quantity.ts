/** The measured quantities and units of channels, for messages, forms and the demo. */

export const QUANTITIES = [
  'temperature',
  'humidity',
  'co2',
  'illuminance',
  'illuminance-exposure',
  'uv-irradiance',
  'uv-exposure',
  'pressure',
  'voltage',
  'current',
] as const
export type Quantity = (typeof QUANTITIES)[number]

/** Units that temperatures can be converted to. */
export const TEMPERATURE_UNITS = ['C', 'F'] as const
export type TemperatureUnit = (typeof TEMPERATURE_UNITS)[number]

const BY_UNIT: ReadonlyMap<string, Quantity> = new Map(
  Object.entries({
    '°C': 'temperature',
    '°F': 'temperature',
    lx: 'illuminance',
    klx: 'illuminance',
    lxh: 'illuminance-exposure',
    klxh: 'illuminance-exposure',
    'mW/cm2': 'uv-irradiance',
    'mW/cm2h': 'uv-exposure',
    Pa: 'pressure',
    hPa: 'pressure',
    kPa: 'pressure',
    mV: 'voltage',
    V: 'voltage',
    mA: 'current',
    A: 'current',
  } as const),
)

/**
 * Units that scaled inputs use for any quantity. They identify a quantity only if the device also measures temperature.
 */
const WITH_TEMPERATURE: ReadonlyMap<string, Quantity> = new Map([
  ['%', 'humidity'],
  ['ppm', 'co2'],
])

/**
 * Replaces any spelling of °C or °F with that unit, and trims other units. One account may contain several spellings:
 * full-width or not, as a single character, or with `º` instead of the degree sign.
 */
export function normalizeUnit(unit: string): string {
  const trimmed = unit.trim()
  const [, letter] = /^[°o]?([CF])$/.exec(trimmed.normalize('NFKC')) ?? []
  return letter ? `°${letter}` : trimmed
}

/**
 * The quantity of each channel of one device; `null` if its unit does not identify one.
 * @param units normalized units of the channels, in order
 */
export function quantitiesOf(units: readonly string[]): (Quantity | null)[] {
  // The compatibility form replaces full-width letters and superscript digits.
  const plain = units.map((unit) => unit.normalize('NFKC'))
  const hasTemperature = plain.some((unit) => BY_UNIT.get(unit) === 'temperature')
  return plain.map(
    (unit) => BY_UNIT.get(unit) ?? (hasTemperature ? WITH_TEMPERATURE.get(unit) : undefined) ?? null,
  )
}
