/**
 * The definition of a device in the simulated account. All properties except `serial` have defaults, so that a test
 * defines only what matters to it. Times are Unix time in seconds, as in responses.
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
  /** whether daylight saving time is in effect */
  dst?: boolean
  /** a time zone whose daylight saving time determines `dst`, such as `America/New_York` */
  timeZone?: string
  dstBias?: number
}

export interface BaseUnitDefinition {
  serial: string
  model?: string
  name?: string
  /** default `https` */
  sends?: 'https' | 'ftp'
  /** false: the relay endpoints do not serve its remote units, but `alert` does; default true */
  relayEndpoints?: boolean
  zone?: ZoneDefinition
}

export interface ChannelDefinition {
  /** 1 to 6; numbers may be missing between channels */
  num: number
  name?: string
  unit?: string
  /** digits after the decimal point if a number is sent as text; default: as many as the number has */
  decimals?: number
  /** the measurements in generated records; default: a room temperature */
  signal?: Signal
  /** for a probe that is not connected: always this text in current, and E1 in generated records */
  broken?: string
}

/** A number, a text that is sent unchanged (an error text begins with E), or `null` for no measurement. */
export type RecordValue = number | string | null

export interface RecordDefinition {
  unixtime: number
  /** default: the position in the list, beginning at 1 (0 for a remote unit) */
  id?: number
  /** by channel number */
  values: Readonly<Record<number, RecordValue>>
  /** the time from which the record exists (s); default: always, even if its own time is in the future */
  arrives?: number
}

export interface GeneratedRecords {
  /** seconds between records; default 600 */
  interval?: number
  /** time of the first record; default: in the first 60 days of the year two years before the simulator's start */
  from?: number
  /** time after which there are no records, because the device is silent */
  until?: number
  /** the id of the first record; default 1 (0 for a remote unit) */
  firstId?: number
  /** whether all ids are 0 (docs/service.md, *Fields*) */
  zeroIds?: boolean
  /** time at which the device was initialized, so that its ids started again */
  restartedAt?: number
  /** whether 3 consecutive records of every 500 were never received */
  gaps?: boolean
  /** one interval in this many is a second longer; default 97; 0: none */
  drift?: number
}

export interface AlertDefinition {
  unixtime: number
  /** texts by `ch1` to `ch6`, `battery-level` and `communication-status` */
  texts: Readonly<Record<string, string>>
  /** the time from which the entry exists (s); default: always */
  arrives?: number
}

/** Overrides the newest record in the responses of current. */
export interface CurrentDefinition {
  unixtime?: number
  /** by channel number */
  values?: Readonly<Record<number, RecordValue>>
}

export const eventKinds = ['door', 'sensor', 'silence', 'batch', 'late', 'battery'] as const

export type EventKind = (typeof eventKinds)[number]

/** An event of a device with generated records. Times are in seconds; the end is exclusive. */
export interface EventDefinition {
  /**
   * - `door`: the value of a channel rises
   * - `sensor`: the measurements of a channel fail
   * - `silence`: the device sends nothing, and afterwards everything at once
   * - `batch`: it uploads its data only every few minutes
   * - `late`: it sends nothing; the data of this time arrives some minutes after the end
   * - `battery`: it reports another code
   */
  kind: EventKind
  from: number
  /** default: the event does not end */
  until?: number
  /** for `door` and `sensor`: the channel; default 1 */
  channel?: number
  /** minutes between uploads (`batch`; default 10), or from the end to the arrival of the data (`late`; default 2) */
  minutes?: number
  /** for `battery`: 1 to 5 (docs/service.md, *Fields*); default 2 */
  code?: number
}

/** An event of a device, without its times. */
export type DeviceEvent = Pick<EventDefinition, 'kind' | 'channel' | 'minutes' | 'code'> & {
  serial: string
  base?: string
}

export interface DeviceDefinition {
  /** default `standalone-1`, or `remote` if a base is given */
  kind?: DeviceKind
  serial: string
  model?: string
  name?: string
  /** number of the remote unit in current; default 0 for a standalone device, 1 for a remote unit */
  num?: number
  base?: BaseUnitDefinition
  group?: { num: number; name: string }
  /** 1 to 5 (docs/service.md, *Fields*); default 5 */
  battery?: number
  /** null: not reported; default 4 */
  rssi?: number | null
  /** for a standalone device; a remote unit has the zone of its base unit */
  zone?: ZoneDefinition
  channels?: readonly ChannelDefinition[]
  /** maximum number of stored records; default by kind (160,000 or 80,000 standalone, 1,500 under a base unit) */
  capacity?: number
  /** language of generated alert texts; default en */
  language?: 'en' | 'ja'
  /** a generator (default), a list, or a function of the time in seconds */
  records?: GeneratedRecords | readonly RecordDefinition[] | ((now: number) => readonly RecordDefinition[])
  /** default: derived from generated records; none if `records` is a list or a function */
  alerts?: readonly AlertDefinition[] | ((now: number) => readonly AlertDefinition[])
  current?: CurrentDefinition | ((now: number) => CurrentDefinition)
  /** seconds between current readings of a device with generated records; default: current returns the newest record */
  transmission?: number
  /** default: none */
  events?: readonly EventDefinition[]
}
