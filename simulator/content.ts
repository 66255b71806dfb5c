/** Creates the bodies of successful responses and reports how many records they contain. */

import type { EndpointName, ParameterRule } from './endpoints'
import { Refusal } from './errors'
import type { Device } from './fleet/device'
import { type Directory, endpointsOf } from './fleet/directory'
import type { Parameters } from './parameters'
import type { Replay } from './replay'
import { alertBody } from './responses/alert'
import { currentBody, currentDevices, type Filter } from './responses/current'
import { type GraphType, graphBody } from './responses/graph'
import { type Period, select } from './responses/select'
import type { TemperatureUnit } from './responses/value'
import type { Variants } from './variants'

export interface Content {
  body: Buffer
  csv?: boolean
}

/** Called before the body is created, because a refusal needs this information too. */
export interface ContentListener {
  /** receives the device whose record quota the request uses */
  device(key: string): void
  /** receives the number of records; throws if the record quota does not allow them */
  records(count: number): void
}

/** The parameters that variants add to the table of endpoints. */
export function addedParameters(
  endpoint: EndpointName,
  { csv2OnLatestData, temperatureUnit }: Variants,
): Record<string, ParameterRule> {
  const graph = endpoint !== 'current' && endpoint !== 'alert'
  return {
    ...(csv2OnLatestData && endpoint === 'latest-data' ? { type: ['json', 'csv', 'csv2'] } : {}),
    ...(temperatureUnit && graph ? { 'temperature-unit': ['device', 'C', 'F'] } : {}),
  }
}

export class Contents {
  constructor(
    private directory: Directory,
    private variants: Variants,
    private readonly replay?: Replay,
  ) {}

  configure(directory: Directory, variants: Variants): void {
    this.directory = directory
    this.variants = variants
  }

  /** @param now in seconds */
  create(endpoint: EndpointName, params: Parameters, now: number, listener: ContentListener): Content {
    if (this.replay) return this.createFromReplay(this.replay, endpoint, params, listener)
    if (endpoint === 'current') return this.createCurrent(params, now)
    const device = this.findDevice(endpoint, params)
    listener.device(JSON.stringify([device.serial, device.base.serial]))
    if (endpoint === 'alert') return { body: Buffer.from(alertBody(device, now, this.variants)) }
    return this.createGraph(endpoint, device, params, now, listener)
  }

  private createFromReplay(
    replay: Replay,
    endpoint: EndpointName,
    params: Parameters,
    listener: ContentListener,
  ): Content {
    if (endpoint !== 'current')
      listener.device(JSON.stringify([params['remote-serial'], params['base-serial']]))
    const body = replay.body(endpoint, params)
    if (Array.isArray(body.data)) listener.records(body.data.length)
    return { body: Buffer.from(JSON.stringify(body)) }
  }

  private createCurrent(params: Parameters, now: number): Content {
    const remotes = params['remote-serial'] as string[] | undefined
    const bases = params['base-serial'] as string[] | undefined
    const filter: Filter = { ...(remotes ? { remotes } : {}), ...(bases ? { bases } : {}) }
    // An unknown serial in a filter matches nothing. It is unknown whether the real service refuses it instead.
    const devices = currentDevices(this.directory, filter)
    return { body: Buffer.from(currentBody(devices, now, this.variants)) }
  }

  private findDevice(endpoint: EndpointName, params: Parameters): Device {
    const serial = params['remote-serial'] as string
    const base = params['base-serial'] as string | undefined
    const device = this.directory.find(serial, base)
    if (!device) {
      // On an endpoint without base-serial, the serial of a remote unit is known, but the kind of device is wrong.
      throw new Refusal(base === undefined && this.directory.knows(serial) ? 'kind' : 'serial', serial)
    }
    if (!endpointsOf(device).includes(endpoint)) throw new Refusal('kind', serial)
    return device
  }

  private createGraph(
    endpoint: EndpointName,
    device: Device,
    params: Parameters,
    now: number,
    listener: ContentListener,
  ): Content {
    const { variants } = this
    const view = device.records(now)
    const selection = select(endpoint, view, now, readPeriod(params), variants.inclusiveBounds)
    listener.records(selection.end - selection.first)
    const type = (params.type ?? 'json') as GraphType
    const unit = ((variants.temperatureUnit && params['temperature-unit']) || 'device') as TemperatureUnit
    const zone = device.zone(now)
    const body = graphBody({ endpoint, device, zone, view, selection, type, unit }, variants)
    return { body: Buffer.from(body), csv: type !== 'json' }
  }
}

function readPeriod(params: Parameters): Period {
  const { 'unixtime-from': from, 'unixtime-to': to, number } = params
  return { from, to, number } as Period
}
