import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Simulator } from '../../../simulator'
import { freezer } from '../../support/devices'
import { type Flow, startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'

const LEVELS = 20_000
const DEEP = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`

/** The service's own answers with something deep in different parts. */
const places: Record<string, (answer: string) => string> = {
  'in a field of its own': (answer) => answer.replace(/^\{/, `{"more":${DEEP},`),
  'as the value of a channel': (answer) =>
    answer.replace(/"(?:ch1|value)":("[^"]*"|[\d.]+)/, (found) => `${found.split(':')[0]}:${DEEP}`),
  'in the place of the whole answer': () => DEEP,
  'in the place of its list': (answer) => answer.replace(/"(devices|data|alert-logs)":\[/, `"$1":[${DEEP},`),
}

describe('an answer that is nested far too deep', () => {
  const simulator = useSimulator(() => ({ limits: 'off' }))

  /** A proxy between nodes and the simulator that changes responses. */
  async function through(service: Simulator, change: (answer: string) => string) {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const { status, headers, body } = await fetch(`${service.url}${request.url}`, {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(parts),
      }).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: await answer.text(),
      }))
      response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' }).end(change(body))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    return { port: (server.address() as AddressInfo).port, close: () => server.close() }
  }

  /** How two identical triggers end, which share one request. */
  async function triggerTwice(flow: Flow): Promise<Message[]> {
    flow.send({ trigger: 1 })
    flow.send({ trigger: 2 })
    return Promise.all([1, 2].map(() => Promise.race([flow.completed.next(), flow.errors.next()])))
  }

  for (const action of ['current', 'latest', 'range', 'alerts'] as ActionName[]) {
    for (const output of ['readings', 'raw']) {
      for (const [place, change] of Object.entries(places)) {
        it(`does not crash Node-RED: ${action}, ${output}, ${place}`, async () => {
          const between = await through(simulator(), change)
          try {
            const flow = await startFlow(action, simulator(), {
              node: { output, select: 'list', devices: [freezer], from: '-1h' },
              account: { baseUrl: `http://127.0.0.1:${between.port}` },
            })
            const ends = await triggerTwice(flow)
            for (const { error } of ends) if (error) assert.match(error.code, /^ENVLOG_(?:REPLY|INPUT)$/)
          } finally {
            between.close()
          }
        })
      }
    }
  }
})
