/** The handle of a victim: a Node-RED in a separate process, see `victim-process.ts`. */
import { request } from 'node:http'
import { forkNodeRed } from '../forked-node-red'
import type { FlowNode } from '../node-red'
import type { Triggered, VictimCommand, VictimState } from './victim-process'

export interface Posted {
  ms: number
  status: number
  text: string
}

export interface Victim {
  trigger(node: string, msg?: object): Promise<Triggered>
  /** An admin route: a body is posted. */
  request(path: string, body?: object): Promise<Posted>
  /** Longest stop of the event loop since the last call. */
  stop(): Promise<number>
  state(): Promise<VictimState>
  /** What it wrote. */
  log(): string
  /** How it ended, if it did. */
  ended(): string | undefined
  end(): Promise<void>
}

type Without<T> = T extends unknown ? Omit<T, 'id'> : never

export async function startVictim(
  flow: readonly FlowNode[],
  credentials: Record<string, object>,
): Promise<Victim> {
  const { port, command, log, ended, end } = await forkNodeRed({
    name: 'victim',
    script: require.resolve('./victim-process.ts'),
    flow,
    credentials,
    settings: {
      disableEditor: true,
      logging: { console: { level: 'debug', metrics: false, audit: false } },
    },
    env: { TZ: 'UTC' },
    execArgv: ['--expose-gc'],
  })
  const send = <T>(what: Without<VictimCommand>) => command<T>(what)
  return {
    trigger: (node, msg = {}) => send({ what: 'trigger', node, msg }),
    request: (path, body) => requestRoute(port, path, body),
    stop: async () => (await send<{ longest: number }>({ what: 'loop' })).longest,
    state: () => send({ what: 'state' }),
    log,
    ended,
    end,
  }
}

function requestRoute(port: number, path: string, body?: object): Promise<Posted> {
  const start = performance.now()
  const method = body ? 'POST' : 'GET'
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.once('error', reject)
      response.once('end', () =>
        resolve({ ms: performance.now() - start, status: response.statusCode ?? 0, text }),
      )
    })
    outgoing.once('error', reject)
    outgoing.end(body && JSON.stringify(body))
  })
}
