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

/**
 * Spellings of °C and °F that may occur within one account: full-width or not, as a single character, or with two kinds
 * of degree sign.
 */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  ['C', 'F'].flatMap((letter) => {
    const wide = String.fromCodePoint((letter.codePointAt(0) as number) + 0xfee0)
    const sign = letter === 'C' ? '℃' : '℉'
    return [letter, wide, sign, `°${letter}`, `°${wide}`, `º${letter}`].map(
      (spelling) => [spelling, `°${letter}`] as const,
    )
  }),
)

const BY_UNIT: Readonly<Record<string, Quantity>> = {
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
}

/**
 * Units that scaled inputs use for any quantity. They identify a quantity only if the device also measures temperature.
 */
const WITH_TEMPERATURE: Readonly<Record<string, Quantity>> = { '%': 'humidity', ppm: 'co2' }

/** Replaces any spelling of °C or °F with that unit, and trims other units. */
export function normalizeUnit(unit: string): string {
  const trimmed = unit.trim()
  return SPELLINGS.get(trimmed) ?? trimmed
}

/**
 * The quantity of each channel of one device; `null` if its unit does not identify one.
 * @param units normalized units of the channels, in order
 */
export function quantitiesOf(units: readonly string[]): (Quantity | null)[] {
  const found = units.map((unit) => inTable(BY_UNIT, unit))
  const hasTemperature = found.includes('temperature')
  return found.map((quantity, index) =>
    quantity === null && hasTemperature ? inTable(WITH_TEMPERATURE, units[index] as string) : quantity,
  )
}

/**
 * Looks up a unit unchanged, then in compatibility form (NFKC), which replaces full-width letters and superscript
 * digits.
 */
function inTable(table: Readonly<Record<string, Quantity>>, unit: string): Quantity | null {
  for (const key of [unit, unit.normalize('NFKC')]) if (Object.hasOwn(table, key)) return table[key] ?? null
  return null
}
