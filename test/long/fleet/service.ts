/** The simulated service without a socket: it replaces undici's `Agent` and responds to its requests directly. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { endpointAt } from '../../../simulator/endpoints'
import { SimulatedService } from '../../../simulator/simulator'

interface Request {
  path: string
  headers: Record<string, string>
  body: Readable
}

export function startService(clock: { now(): number }): SimulatedService {
  const service = new SimulatedService({
    clock: { now: () => clock.now(), advance: () => {} },
    seed: 'many devices',
    fleet: [],
    faults: [],
    windows: 'sliding',
    logSize: 1,
  })

  async function request({ path, headers, body }: Request) {
    const endpoint = endpointAt(path, service.settings.relaySuffix)
    if (!endpoint) throw new Error(`no such path: ${path}`)
    const sent = { endpoint, path, headers: lowered(headers), body: Buffer.from(await text(body)) }
    const response = service.handle(sent)
    return {
      statusCode: response.status,
      headers: lowered(response.headers),
      body: Readable.from([response.body]),
    }
  }

  const undici: { Agent: unknown } = require('undici')
  undici.Agent = class {
    request = request
    destroy = async () => {}
  }
  return service
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
