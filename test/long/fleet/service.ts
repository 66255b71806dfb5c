/** The simulated service without a socket: in place of undici's connections, it responds itself. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { DeviceDefinition, Simulator } from '../../../simulator'
import { endpointAt } from '../../../simulator/endpoints'
import { SimulatedService } from '../../../simulator/simulator'
import type { ProcessTime } from './time'

interface FleetServiceOptions {
  time: ProcessTime
  fleet: readonly DeviceDefinition[]
  seed: string
}

export type FleetService = Pick<Simulator, 'account' | 'truth' | 'counts' | 'set'> & {
  url: string
  /** Clears its log, counts and windows. */
  reset(): void
  end(): void
}

interface Request {
  path: string
  headers: Record<string, string>
  body: Readable
}

const undici = require('undici') as { Agent: unknown }

export function startService({ time, fleet, seed }: FleetServiceOptions): FleetService {
  const clock = { now: time.now }
  const service = new SimulatedService({ clock, seed, fleet, faults: [], windows: 'sliding', logSize: 1 })

  async function request({ path, headers, body }: Request) {
    const endpoint = endpointAt(path, service.settings.relaySuffix)
    if (!endpoint) throw new Error(`no such path: ${path}`)
    const request = { endpoint, path, headers: lowered(headers), body: Buffer.from(await text(body)) }
    const { how, status, headers: sent, body: response } = service.handle(request)
    if (how === 'silence' || how === 'drop' || how === 'cut') throw new Error(`no such fault here: ${how}`)
    return { statusCode: status, headers: lowered(sent), body: Readable.from([response]) }
  }

  const { Agent } = undici
  undici.Agent = class {
    request = request
    destroy = async () => {}
  }
  return {
    url: 'http://127.0.0.1:8745',
    account: service.account,
    truth: service.truth,
    counts: () => service.counts(),
    set: (options) => service.set(options),
    reset: () => service.reset(),
    end() {
      undici.Agent = Agent
    },
  }
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
