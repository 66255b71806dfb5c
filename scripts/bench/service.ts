/**
 * The service for the benchmarks. The simulator creates each response once, and from then on the same bytes are sent,
 * because creating 65,535 records takes longer than reading them.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { manualClock, type SimulatorOptions, startSimulator } from '../../simulator'
import { SERVICE_TIME } from './cases'

export type Service = Awaited<ReturnType<typeof startService>>

/** Longer than any pause between two requests, so that connections are reused. */
const KEEP_ALIVE_MS = 600_000

export async function startService(options: SimulatorOptions) {
  const clock = manualClock(SERVICE_TIME)
  const simulator = await startSimulator({ ...options, clock, limits: 'off', logSize: 1 })
  const responses = new Map<string, ReturnType<typeof fetchResponse>>()
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, async ({ url }, response) => {
    const request = await text(response.req)
    const key = `${url} ${request}`
    const pending = responses.get(key) ?? fetchResponse(`${simulator.url}${url}`, request)
    responses.set(key, pending)
    const { status, headers, body } = await pending
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    login: simulator.account,
    async stop() {
      server.close().closeAllConnections()
      await simulator.close()
    },
  }
}

async function fetchResponse(url: string, body: string) {
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const headersToSend = [...response.headers].filter(([name]) => /^(?:x-|content-type$)/.test(name))
  return {
    status: response.status,
    headers: Object.fromEntries(headersToSend),
    body: Buffer.from(await response.arrayBuffer()),
  }
}
