/**
 * The service in a separate process. The simulator creates each answer once; the same bytes are sent until its time
 * advances, so that the time to create 65,535 records is not measured.
 */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { manualClock, startSimulator } from '../simulator'
import { type OpenService, SERVICE_TIME, type ServiceName, services } from './services'

interface Recorded {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/** Headers of a single transfer. */
const NOT_REPLAYED = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** Longer than any pause between two requests. */
const KEEP_ALIVE_MS = 600_000

/** What the parent process sends: a service to open, or how many ms its time advances. */
export type ServiceCommand = { open: ServiceName } | { advance: number }

const clock = manualClock(SERVICE_TIME)
/** The answers so far, by request. */
const known = new Map<string, Promise<Recorded>>()

async function open(name: ServiceName): Promise<OpenService> {
  const simulator = await startSimulator({ ...services[name], clock, limits: 'off', logSize: 1 })
  const { apiKey, loginId, loginPass } = simulator.account
  return { url: await replay(simulator.url), login: { apiKey, loginId, loginPass } }
}

async function replay(origin: string): Promise<string> {
  const server = createServer(async (req, res) => {
    const body = await bodyOf(req)
    const key = `${origin}${req.url} ${body}`
    const recorded = known.get(key) ?? record(`${origin}${req.url}`, req, body)
    known.set(key, recorded)
    const answer = await recorded
    res.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function record(url: string, req: IncomingMessage, body: string): Promise<Recorded> {
  const { 'content-type': type = '', 'x-http-method-override': override = '' } = req.headers
  const headers = { 'content-type': type, 'x-http-method-override': String(override) }
  const answer = await fetch(url, { method: req.method ?? 'POST', headers, body })
  const kept = [...answer.headers].filter(([name]) => !NOT_REPLAYED.has(name))
  return {
    status: answer.status,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await answer.arrayBuffer()),
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}

process.on('message', (command: ServiceCommand) => {
  if ('advance' in command) {
    clock.advance(command.advance)
    known.clear()
    process.send?.({})
    return
  }
  open(command.open).then(
    (open) => process.send?.(open),
    (error) => process.send?.({ error: String(error) }),
  )
})
