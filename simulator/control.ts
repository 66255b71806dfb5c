/**
 * The control address offers the functions of `Simulator` as JSON over HTTP, for tests in other processes and for curl.
 * The server listens on loopback only. The remote address and the headers Host and Origin are checked as well, to
 * protect against proxies, DNS rebinding and web pages.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EndpointName } from './endpoints'
import { checkDeviceEvent, checkRuntimeOptions } from './option-checks'
import { OptionError } from './option-error'
import type { SimulatedService } from './simulator'

export type Control = (req: IncomingMessage, res: ServerResponse, path: string, body: Buffer) => void

export function isControl(path: string): boolean {
  return path === '/simulator' || path.startsWith('/simulator/')
}

interface Call {
  service: SimulatedService
  body: Record<string, unknown>
}

type Handler = (call: Call) => unknown

const kinds = { GET: 'get', PUT: 'change', POST: 'change' } as const

const routes: Readonly<Record<string, { get?: Handler; change?: Handler }>> = {
  '/simulator': { get: state },
  '/simulator/state': { get: state },
  '/simulator/options': { get: options, change: setOptions },
  '/simulator/reset': { change: reset },
  '/simulator/log': { get: ({ service }) => service.log.list() },
  '/simulator/counts': { get: ({ service }) => service.counts() },
  '/simulator/spend': { change: spend },
  '/simulator/events': { get: ({ service }) => service.currentEvents(), change: changeEvents },
}

function state(call: Call): unknown {
  const { service } = call
  const now = service.clock.now()
  return {
    clock: { now, time: new Date(now).toISOString() },
    devices: service.truth.devices().length,
    account: service.account,
    options: options(call),
    counts: service.counts(),
  }
}

function options({ service }: Call): unknown {
  return { ...service.settings, faults: service.faults.list() }
}

function setOptions(call: Call): unknown {
  checkRuntimeOptions(call.body)
  call.service.set(call.body)
  return options(call)
}

function reset(call: Call): unknown {
  call.service.reset()
  return state(call)
}

function spend({ service, body }: Call): unknown {
  const { endpoint, count = 1 } = body
  if (typeof count !== 'number' || count < 0) throw new OptionError('count: expected a number from 0')
  service.spend(endpoint as EndpointName, count)
  return service.counts()
}

/** Begins an event, or ends it if `over` is true. */
function changeEvents({ service, body }: Call): unknown {
  const { over = false, ...event } = body
  checkDeviceEvent(event)
  if (typeof over !== 'boolean') throw new OptionError('over: expected true or false')
  if (over) service.end(event)
  else service.begin(event)
  return service.currentEvents()
}

export function createControl(service: SimulatedService): Control {
  return (req, res, path, body) => {
    const { status, value } = respond(service, req, path, body)
    res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
    res.end(`${JSON.stringify(value, null, 2)}\n`)
  }
}

interface ControlResponse {
  status: number
  value: unknown
}

const problem = (status: number, error: string): ControlResponse => ({ status, value: { error } })

function respond(
  service: SimulatedService,
  req: IncomingMessage,
  path: string,
  body: Buffer,
): ControlResponse {
  if (!isLocal(req)) return problem(403, 'the control address can be reached only from this machine')
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (!route) return problem(404, `not one of ${Object.keys(routes).join(' ')}`)
  const kind = kinds[req.method as keyof typeof kinds]
  const handler = kind && route[kind]
  if (!handler) return problem(405, `${path} does not accept ${req.method}`)
  // Without asking for permission, a web page can send plain text to other origins, but not JSON.
  if (
    kind === 'change' &&
    body.length > 0 &&
    !/^application\/json/i.test(req.headers['content-type'] ?? '')
  ) {
    return problem(415, 'expected Content-Type: application/json')
  }
  try {
    return { status: 200, value: handler({ service, body: kind === 'change' ? parseBody(body) : {} }) }
  } catch (error) {
    return problem(400, error instanceof Error ? error.message : String(error))
  }
}

function isLocal(req: IncomingMessage): boolean {
  const address = req.socket.remoteAddress ?? ''
  const host = (req.headers.host ?? '').replace(/:\d+$/, '')
  const hosts = ['127.0.0.1', 'localhost', '[::1]']
  const { origin } = req.headers
  return /^(::ffff:)?127\./.test(address) && hosts.includes(host) && origin === undefined
}

function parseBody(body: Buffer): Record<string, unknown> {
  const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString())
  if (typeof value !== 'object' || value === null) throw new OptionError('expected a JSON object')
  return value as Record<string, unknown>
}
