/** Expected outputs for the simulator's true data, computed only from docs/messages.md. */
import type { TrueDevice, TrueRecord, Truth } from '../../simulator'

export type FlatRow = Record<string, string | number | boolean>

/** A row without empty keys. */
function rowOf(entries: Record<string, string | number | null | undefined>): FlatRow {
  const said = Object.entries(entries).filter(
    ([, value]) => value !== '' && value !== null && value !== undefined,
  )
  return Object.fromEntries(said) as FlatRow
}

function identity({ serial, name, model, base }: TrueDevice, time: number) {
  return {
    ...(time !== 0 && { time: new Date(time).toISOString(), timestamp: time }),
    serial,
    name,
    model,
    base,
  }
}

/** Battery levels of devices that do not belong to series 1. */
const LEVELS: Record<number, string> = {
  1: 'replace-now',
  2: 'replace-now',
  3: 'replace-now',
  4: 'replace-soon',
  5: 'sufficient',
}

/** Units as the contract lists them. */
const BY_UNIT = new Map(
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
    V: 'voltage',
    mV: 'voltage',
    A: 'current',
    mA: 'current',
  }),
)

/** Degrees in a uniform spelling. */
export function spelled(unit: string): string {
  const [, celsius, fahrenheit] = /^(?:([°º]?[CＣ]|℃)|([°º]?[FＦ]|℉))$/.exec(unit.trim()) ?? []
  return celsius ? '°C' : fahrenheit ? '°F' : unit.trim()
}

/** The unit and the quantity of a channel. */
export function unitOf({ channels }: Pick<TrueDevice, 'channels'>, number: number) {
  const unit = spelled(channels.find(({ num }) => num === number)?.unit ?? '')
  const isClimate = channels.some((one) => BY_UNIT.get(spelled(one.unit)) === 'temperature')
  const climate = new Map(isClimate ? Object.entries({ '%': 'humidity', ppm: 'co2' }) : [])
  return { unit, quantity: BY_UNIT.get(unit) ?? climate.get(unit) }
}

function measured(value: number | string | undefined) {
  return typeof value === 'number' ? { value } : { error: value ?? 'missing' }
}

/** Rows of latest and range. */
export function expectedRows(device: TrueDevice, records: readonly TrueRecord[]): FlatRow[] {
  return records.flatMap(({ time, id, values }) =>
    device.channels.map(({ num, name }) =>
      rowOf({
        ...identity(device, time),
        groupname: device.group.name,
        channel: num,
        label: name || `ch${num}`,
        ...unitOf(device, num),
        ...measured(values[num]),
        dataid: id,
      }),
    ),
  )
}

/** Rows of current without `age`, which depends on the time of the request. */
export function currentRows(truth: Truth): FlatRow[] {
  const readings = new Map(truth.current().map((reading) => [reading.serial, reading]))
  return truth.devices().flatMap((device) => {
    const { time = null, values = {} } = readings.get(device.serial) ?? {}
    return device.channels.map(({ num, name }) =>
      rowOf({
        ...identity(device, time ?? 0),
        groupname: device.group.name,
        channel: num,
        label: name || `ch${num}`,
        ...unitOf(device, num),
        ...measured(values[num] ?? undefined),
        battery: device.battery,
        batterylevel: LEVELS[device.battery],
        rssi: device.rssi,
      }),
    )
  })
}
