/**
 * The definition of a device in the simulated account. Everything but `serial` has a default, so that a test states
 * only what it is about. Times are Unix time in seconds, as in responses.
 */
import type { Signal } from './signal'

/**
 * The kinds of devices, which differ in the endpoints that serve them (docs/service.md, *Requests*). If the base unit
 * of a `remote` sends by FTP, only `current` serves it.
 */
export const deviceKinds = [
  'standalone-1',
  'standalone-2',
  'remote',
  'older-remote',
  'other-standalone',
] as const

export type DeviceKind = (typeof deviceKinds)[number]

/** Offsets in minutes (docs/service.md, *Fields*). A remote unit has the offsets of its base unit. */
export interface ZoneDefinition {
  timeDiff?: number
  stdBias?: number
  /** the device's DST setting is on */
  dst?: boolean
  /** name of a zone whose daylight saving time sets `dst`, such as `America/New_York` */
  timeZone?: string
  dstBias?: number
}

export interface BaseUnitDefinition {
  serial: string
  model?: string
  name?: string
  /** default `https` */
  sends?: 'https' | 'ftp'
  /** false: the base-unit variant for which the relay endpoints are unavailable (docs/service.md, *Requests*) */
  relayEndpoints?: boolean
  zone?: ZoneDefinition
}

export interface ChannelDefinition {
  /** 1 to 6; a device need not have all channels up to its highest */
  num: number
  name?: string
  unit?: string
  /** digits after the decimal point if a number is written as text; default: as many as the number has */
  decimals?: number
  /** what generated records measure; default: a steady room temperature */
  signal?: Signal
  /** an unused probe: permanently this text in current, and E1 in generated records */
  broken?: string
}

/** A number, an error text beginning with E, any other text unchanged, or no measurement. */
export type RecordValue = number | string | null

export interface RecordDefinition {
  unixtime: number
  /** default: the record's position in the list, starting at 1 (0 for a remote unit) */
  id?: number
  /** by channel number */
  values: Readonly<Record<number, RecordValue>>
  /** the record exists from this time on (s); default: always, even if its own time is in the future */
  arrives?: number
}

export interface GeneratedRecords {
  /** seconds between records */
  interval?: number
  /** time of the first record; default: early in the year two calendar years before the simulator's start */
  from?: number
  /** no records after this time: the device has gone silent */
  until?: number
  /** the id of the first record; default 1 (0 for a remote unit) */
  firstId?: number
  /** all ids are 0 (docs/service.md, *Fields*) */
  zeroIds?: boolean
  /** the device was initialised at this time: ids start over */
  restartedAt?: number
  /** of every 500 records, 3 in a row were never received */
  gaps?: boolean
  /** one step in this many is a second longer (docs/service.md, *Fields*); default 97, 0 for never */
  drift?: number
}

/** Keys are `ch1` to `ch6`, `battery-level`, `communication-status`. */
export interface AlertDefinition {
  unixtime: number
  texts: Readonly<Record<string, string>>
  /** the entry exists from this time on (s); default: always */
  arrives?: number
}

/** What current reports instead of the newest record. */
export interface CurrentDefinition {
  unixtime?: number
  values?: Readonly<Record<number, RecordValue>>
}

export const eventKinds = ['door', 'silence', 'battery'] as const

export type EventKind = (typeof eventKinds)[number]

/** An event of a device with generated records. Times are in seconds, the end is exclusive. */
export interface EventDefinition {
  /** a door is open, and the value rises; the device sends nothing; its battery has another code */
  kind: EventKind
  from: number
  /** default: permanently */
  until?: number
  /** for `door`: the channel that warms up; default 1 */
  channel?: number
  /** for `battery`: 1 to 5 (docs/service.md, *Fields*); default 2 */
  code?: number
}

/** An event of a device, without its times. */
export type Happening = Pick<EventDefinition, 'kind' | 'channel' | 'code'> & { serial: string; base?: string }

export interface DeviceDefinition {
  /** default `standalone-1`, or `remote` if a base is given */
  kind?: DeviceKind
  serial: string
  model?: string
  name?: string
  /** remote unit number in current; default 0 for standalone devices, else 1 */
  num?: number
  base?: BaseUnitDefinition
  group?: { num: number; name: string }
  /** 1 to 5 (docs/service.md, *Fields*); default 5 */
  battery?: number
  /** null: not reported; default 4 */
  rssi?: number | null
  /** for a standalone device */
  zone?: ZoneDefinition
  channels?: readonly ChannelDefinition[]
  /** maximum number of stored records; default by kind (160,000 or 80,000 standalone, 1,500 under a base unit) */
  capacity?: number
  /** language of generated alert texts; default en */
  language?: 'en' | 'ja'
  /** a generator (default), a list, or a function of the time in seconds */
  records?: GeneratedRecords | readonly RecordDefinition[] | ((now: number) => readonly RecordDefinition[])
  /** default: derived from the generated records; none for a device with its own records */
  alerts?: readonly AlertDefinition[] | ((now: number) => readonly AlertDefinition[])
  current?: CurrentDefinition | ((now: number) => CurrentDefinition)
  /** seconds between current readings of generated values; default: current reports the newest record */
  transmission?: number
  /** default: none */
  events?: readonly EventDefinition[]
}
