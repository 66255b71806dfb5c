/** The simulated service without a socket: in place of undici's connections, it responds itself. */
import type { DeviceDefinition, Fault, Simulator } from '../../../simulator'
import { type EndpointName, endpointAt } from '../../../simulator/endpoints'
import type { Delivery } from '../../../simulator/faults/effects'
import { SimulatedService } from '../../../simulator/simulator'
import type { ProcessTime } from './time'

interface FleetServiceOptions {
  time: ProcessTime
  fleet: readonly DeviceDefinition[]
  seed: string
  faults?: readonly Fault[]
  /** Changes the text of responses about a device. */
  changeBody?(serial: string, endpoint: EndpointName, body: string): string
  /** Called for each answered request. */
  onRequest?(serial: string, endpoint: EndpointName): void
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
  body: string
  signal: AbortSignal
  onSent(): void
}

const undici = require('undici') as { Agent: unknown }

export function startService({
  time,
  fleet,
  seed,
  faults = [],
  changeBody,
  onRequest,
}: FleetServiceOptions): FleetService {
  const service = new SimulatedService({
    clock: { now: time.now },
    seed,
    fleet,
    faults,
    windows: 'sliding',
    logSize: 1,
  })

  async function request({ path, headers, body, signal, onSent }: Request) {
    onSent()
    const endpoint = endpointAt(path, service.settings.relaySuffix)
    if (!endpoint) throw new Error(`no such path: ${path}`)
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const serial = String((JSON.parse(body) as Record<string, unknown>)['remote-serial'] ?? '')
    const delivery = service.handle({ endpoint, path, headers: lower, body: Buffer.from(body) })
    onRequest?.(serial, endpoint)
    if (delivery.how === 'silence') await aborted(signal)
    if (delivery.how === 'drop') throw reset()
    return {
      statusCode: delivery.status,
      headers: lowered(delivery.headers),
      body: chunks(delivery, (text) =>
        changeBody && delivery.status === 200 ? changeBody(serial, endpoint, text) : text,
      ),
    }
  }

  const { Agent } = undici
  undici.Agent = class {
    request = request
    compose = () => this
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

const reset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(reset())
    else signal.addEventListener('abort', () => reject(reset()), { once: true })
  })
}

async function* chunks({ how, share, body }: Delivery, change: (text: string) => string) {
  if (how === 'cut') {
    yield body.subarray(0, Math.floor(body.length * share))
    throw reset()
  }
  const text = body.toString()
  const changed = change(text)
  yield changed === text ? body : Buffer.from(changed)
}
