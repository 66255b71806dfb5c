import type { Account } from '../../../src/lib/account'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import { makeReport, type Progress, type ReportQuery } from '../../../src/lib/report/make-report'
import type { ReportedChannel, ReportedDevice, ReportHead } from '../../../src/lib/report/report-data'
import type { RequestContext } from '../../../src/lib/request'
import { type Limit, readLimits } from '../../../src/shared/limits-schema'
import { TimeZone } from '../../../src/shared/local-clock'
import { context, currentDevice, graph, type Json, NO_LIST } from '../../unit/lib/responses'

/** A value of each channel, or a text in its place. */
export type Measured = readonly [at: number, ...values: (number | string | null)[]]

/** A standalone device of a plant. */
export interface PlantDevice {
  serial: string
  name?: string
  group?: string
  /** Minutes ahead of UTC, which the device reports. */
  offset?: number
  units?: readonly string[]
  battery?: number
  records?: readonly Measured[]
  /** Whether one of its records cannot be read. */
  isDamaged?: boolean
  /** What its requests for records fail with. */
  error?: EnvlogError
}

/** The requests that were sent: the endpoint, the serial number and the bounds of records, ms since 1970 UTC. */
export interface PlantRequest {
  endpoint: EndpointName
  serial?: string
  from?: number
  to?: number
}

const NAMES = ['Inside', 'Damp', 'Door']

/** An account of standalone devices, at a moment. Without `zone`, times are those of the devices. */
export function plantAccount(now: number, devices: readonly PlantDevice[], zone?: string) {
  const requests: PlantRequest[] = []
  const account = {
    name: 'Plant A',
    concurrency: 2,
    series1Models: [],
    localTime: zone === undefined ? 'local' : new TimeZone(zone),
    temperatureUnit: null as 'C' | 'F' | null,
    now: () => now,
    devices: { ...NO_LIST, update() {}, isRemote: () => false },
    client: {
      async read(endpoint: EndpointName, params: Json, { signal }: RequestContext) {
        if (signal.aborted) throw new EnvlogError('closed')
        const serial = params['remote-serial'] as string
        const known = devices.find((device) => device.serial === serial)
        const [from, to] = [Number(params['unixtime-from']) * 1000, Number(params['unixtime-to']) * 1000]
        requests.push(endpoint === 'current' ? { endpoint } : { endpoint, serial, from, to })
        if (known?.error) throw known.error
        const reply = known ? recordsOf(known, from, to) : { devices: devices.map(readingOf) }
        const body = readEnvelope(endpoint, JSON.stringify(reply))
        return { endpoint, body, receivedAt: now, quota: { recordsRemaining: 1 } }
      },
    },
  }
  return { account: account as unknown as Account, requests }
}

const aboutDevice = ({ serial, name = '', offset = 0 }: PlantDevice) => ({
  ...{ serial, name },
  time_diff: offset,
  dst_bias: 0,
})

const unitsOf = ({ units = ['C'] }: PlantDevice) => units

function readingOf(device: PlantDevice): Json {
  const { records = [], group, battery = 5, serial, name = '' } = device
  const [at, ...values] = records.at(-1) ?? [null]
  const channel = unitsOf(device).map((unit, num) => ({
    num,
    name: NAMES[num],
    unit,
    value: values[num] ?? '',
  }))
  return currentDevice({
    ...aboutDevice(device),
    ...{ battery, channel },
    unixtime: at === null ? '' : at / 1000,
    group: group === undefined ? null : { num: 1, name: group },
    baseunit: { serial, name, model: 'M-100' },
  })
}

function recordsOf(device: PlantDevice, from: number, to: number): Json {
  const { records = [] } = device
  const data: unknown[] = records
    .map(([at, ...values], index) => ({
      unixtime: at / 1000,
      'data-id': index + 1,
      ...Object.fromEntries(values.map((value, channel) => [`ch${channel + 1}`, value])),
    }))
    .filter(({ unixtime }) => unixtime * 1000 >= from && unixtime * 1000 <= to)
  if (device.isDamaged) data.push('damaged')
  const channel = unitsOf(device).map((unit, num) => ({ num, name: NAMES[num], unit }))
  return graph({ ...aboutDevice(device), channel, data })
}

export const limitsOf = (...rows: object[]): readonly Limit[] => {
  const found = readLimits(rows)
  if ('problem' in found) throw new Error(JSON.stringify(found))
  return found
}

const HEAD: ReportHead = {
  ...{ title: 'Daily report', site: '', responsible: '', language: 'en-US', signature: true },
  ...{ coverage: 95, gap: 60, account: 'Plant A', version: '0.0.0' },
}

/** What a report is about. */
export interface Asked extends Partial<Omit<ReportQuery, 'head'>> {
  now: number
  zone?: string
  unit?: 'C' | 'F'
  rows?: readonly object[]
  coverage?: number
  gap?: number
}

/** Makes a report of a plant. */
export async function reportOf(devices: readonly PlantDevice[], asked: Asked) {
  const { now, zone, unit = null, rows, coverage = HEAD.coverage, gap = HEAD.gap, ...others } = asked
  const { account, requests } = plantAccount(now, devices, zone)
  const query: ReportQuery = {
    selection: 'all',
    exclude: [],
    period: { calendar: 'yesterday', now },
    limits: rows ? limitsOf(...rows) : null,
    silentAfterMs: 3_600_000,
    head: { ...HEAD, coverage, gap },
    ...others,
  }
  const progress: Progress[] = []
  const report = await makeReport({ ...account, temperatureUnit: unit }, query, context, (found) => {
    progress.push({ ...found })
  })
  const [device] = report.devices as [ReportedDevice]
  return { report, requests, progress, device, channel: device.channels[0] as ReportedChannel }
}

/** Records of one value, at regular times. @param to exclusive */
export function every(ms: number, from: number, to: number, value: (at: number) => number): Measured[] {
  const records: Measured[] = []
  for (let at = from; at < to; at += ms) records.push([at, value(at)])
  return records
}

export const iso = (at: number) => new Date(at).toISOString()
