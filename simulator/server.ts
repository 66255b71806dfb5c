/** The HTTP server on loopback, which passes requests to the service or to the control address. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Control, isControl } from './control'
import { endpointAt } from './endpoints'
import { type Cause, errorBody, Refusal } from './errors'
import { deliver } from './faults/deliver'
import type { SimulatedService } from './simulator'

const maxBodyBytes = 1024 * 1024
/** Long, so that it does not close an idle connection just when a client on a busy machine uses it again. */
const keepAliveTimeout = 60_000

export interface Listening {
  port: number
  close(): Promise<void>
}

export async function listen(service: SimulatedService, control: Control, port: number): Promise<Listening> {
  const server = createServer({ keepAliveTimeout }, (req, res) => {
    route(service, control, req, res).catch((error: unknown) => {
      if (error instanceof Refusal) sendError(service, res, req.url ?? '', error.why)
      else res.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  await listenOn(server, port)
  return { port: (server.address() as AddressInfo).port, close: () => close(server) }
}

async function listenOn(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === 'EADDRINUSE'
      reject(
        isInUse ? Object.assign(new Error(`port ${port} is already in use`), { code: error.code }) : error,
      )
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function route(
  service: SimulatedService,
  control: Control,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = (req.url ?? '/').split('?', 1)[0] as string
  const body = await readBody(req)
  if (isControl(path)) return control(req, res, path, body)
  res.setHeader('Date', new Date(service.clock.now()).toUTCString())
  const endpoint = endpointAt(path, service.settings.relaySuffix)
  if (!endpoint) return sendError(service, res, path, 'path')
  if (req.method !== 'POST') return sendError(service, res, path, 'method')
  deliver(res, service.handle({ endpoint, path, headers: req.headers, body }))
}

/** Sends an error of a request that reached no endpoint. It has no rate headers, because they belong to an endpoint. */
function sendError(service: SimulatedService, res: ServerResponse, path: string, why: Cause): void {
  const { status } = new Refusal(why)
  service.logWithoutEndpoint(path, status)
  const body = errorBody(why, '', service.settings.variants, status)
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' }).end(body)
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of req as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBodyBytes) throw new Refusal('tooLarge')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
