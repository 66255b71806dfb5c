/** Creates the bodies of successful responses, and reports how many records they contain. */
import { alertBody } from './answers/alert'
import { BodyCache } from './answers/cache'
import { currentBody, currentDevices, type Filter } from './answers/current'
import { type GraphType, graphBody } from './answers/graph'
import { type Period, select } from './answers/select'
import type { TemperatureUnit } from './answers/value'
import type { EndpointName, ParameterRule } from './endpoints'
import { Refusal } from './errors'
import type { Device } from './fleet/device'
import { type Directory, endpointsOf } from './fleet/directory'
import type { Parameters } from './parameters'
import type { Replay } from './replay'
import type { Variants } from './variants'

export interface Content {
  body: Buffer
  csv?: boolean
}

/** Called before the body is created, because the headers of a refusal report these too. */
export interface ContentListener {
  /** the device whose records budget is used */
  device(key: string): void
  /** throws if the budget has fewer records left */
  records(count: number): void
}

/** Parameters that variants add to the table. */
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
  private readonly cache = new BodyCache()

  constructor(
    private directory: Directory,
    private variants: Variants,
    private readonly replay?: Replay,
  ) {}

  configure(directory: Directory, variants: Variants): void {
    this.directory = directory
    this.variants = variants
    this.cache.clear()
  }

  /** `now` in seconds. */
  create(endpoint: EndpointName, params: Parameters, now: number, listener: ContentListener): Content {
    if (this.replay) return this.replayed(this.replay, endpoint, params, listener)
    if (endpoint === 'current') return this.current(params, now)
    const device = this.device(endpoint, params)
    const key = JSON.stringify([device.serial, device.base.serial])
    listener.device(key)
    if (endpoint === 'alert') return { body: Buffer.from(alertBody(device, now, this.variants)) }
    return this.graph(endpoint, device, key, params, now, listener)
  }

  private replayed(
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

  private current(params: Parameters, now: number): Content {
    const remotes = params['remote-serial'] as string[] | undefined
    const bases = params['base-serial'] as string[] | undefined
    const filter: Filter = { ...(remotes ? { remotes } : {}), ...(bases ? { bases } : {}) }
    const devices = currentDevices(this.directory, filter)
    // A filter that matches nothing returns nothing; it is unknown whether the real service refuses it instead.
    const unknown =
      remotes?.find((serial) => !devices.some((device) => device.serial === serial)) ??
      bases?.find((serial) => !devices.some((device) => device.base.serial === serial))
    if (unknown !== undefined && this.variants.unknownInCurrent === 'error')
      throw new Refusal('serial', unknown)
    return { body: Buffer.from(currentBody(devices, now, this.variants)) }
  }

  private device(endpoint: EndpointName, params: Parameters): Device {
    const serial = params['remote-serial'] as string
    const base = params['base-serial'] as string | undefined
    const device = this.directory.find(serial, base)
    if (!device) {
      // A remote unit's serial on an endpoint without base-serial exists, but is of the wrong kind.
      throw new Refusal(base === undefined && this.directory.knows(serial) ? 'kind' : 'serial', serial)
    }
    if (!endpointsOf(device).includes(endpoint)) throw new Refusal('kind', serial)
    return device
  }

  private graph(
    endpoint: EndpointName,
    device: Device,
    deviceKey: string,
    params: Parameters,
    now: number,
    listener: ContentListener,
  ): Content {
    const { variants } = this
    const view = device.records(now)
    const selection = select(endpoint, view, now, periodOf(params), variants.inclusiveBounds)
    const { first, end } = selection
    listener.records(end - first)
    const type = (params.type ?? 'json') as GraphType
    const unit = ((variants.temperatureUnit && params['temperature-unit']) || 'device') as TemperatureUnit
    const zone = device.zone(now)
    const state = [view.stamp, first, end, view.high > view.low, zone.dst]
    const key = view.stamp && JSON.stringify([endpoint, deviceKey, type, unit, ...state])
    const make = () => graphBody({ endpoint, device, zone, view, selection, type, unit }, variants)
    return { body: this.cache.get(key, make), csv: type !== 'json' }
  }
}

function periodOf(params: Parameters): Period {
  const { 'unixtime-from': from, 'unixtime-to': to, number } = params
  return { from, to, number } as Period
}
