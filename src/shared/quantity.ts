/** The measured quantities and units of channels, for messages, forms and the demo. */

const UNITS = {
  temperature: ['°C', '°F'],
  humidity: ['%'],
  co2: ['ppm'],
  illuminance: ['lx', 'klx'],
  'illuminance-exposure': ['lxh', 'klxh'],
  'uv-irradiance': ['mW/cm2'],
  'uv-exposure': ['mW/cm2h'],
  pressure: ['Pa', 'hPa', 'kPa'],
  voltage: ['mV', 'V'],
  current: ['mA', 'A'],
} as const
export type Quantity = keyof typeof UNITS
export const QUANTITIES = Object.keys(UNITS) as Quantity[]

/** The unit of a quantity; `undefined` if it may have several. */
export function onlyUnitOf(quantity: Quantity): string | undefined {
  const [unit, another] = UNITS[quantity]
  return another === undefined ? unit : undefined
}

/** A value with its unit: *8 °C*, *85%*. @param space the one before a unit, in some places */
export const withUnit = (value: string | number, unit: string, space = ' '): string =>
  unit === '' || unit === '%' ? `${value}${unit}` : `${value}${space}${unit}`

const BY_UNIT = new Map<string, Quantity>(
  QUANTITIES.flatMap((quantity) => UNITS[quantity].map((unit) => [unit, quantity] as const)),
)

/**
 * Scaled inputs may use the units of these quantities for anything. Such a unit identifies the quantity only if the
 * device also measures temperature.
 */
const NEEDS_TEMPERATURE: readonly (Quantity | null)[] = ['humidity', 'co2']

/** Units that temperatures can be converted to. */
export const TEMPERATURE_UNITS = ['C', 'F'] as const
export type TemperatureUnit = (typeof TEMPERATURE_UNITS)[number]

const SPELLINGS = new Map([
  ['%', '%'],
  ...['', '°', 'o'].flatMap((sign) =>
    TEMPERATURE_UNITS.map((letter) => [sign + letter, `°${letter}`] as const),
  ),
])

/**
 * Replaces any spelling of °C, °F or % with that unit, and trims other units. One account may contain several spellings:
 * full-width or not, as a single character, or with `º` or `˚` instead of the degree sign.
 */
export function normalizeUnit(unit: string): string {
  const trimmed = unit.trim()
  return SPELLINGS.get(trimmed) ?? SPELLINGS.get(trimmed.replace('\u02da', '°').normalize('NFKC')) ?? trimmed
}

/**
 * Sets the quantity of each channel of one device; `null` if its unit does not identify one. Units are normalized.
 */
export function setQuantities(channels: readonly { unit: string; quantity: Quantity | null }[]): void {
  // The compatibility form replaces full-width letters and superscript digits.
  for (const channel of channels)
    channel.quantity = BY_UNIT.get(channel.unit) ?? BY_UNIT.get(channel.unit.normalize('NFKC')) ?? null
  if (channels.some(({ quantity }) => quantity === 'temperature')) return
  for (const channel of channels) if (NEEDS_TEMPERATURE.includes(channel.quantity)) channel.quantity = null
}
