/** Starts simulators that are closed after each test, and sends requests like any client. */
import { request as httpRequest } from 'undici'
import {
  type DeviceDefinition,
  type EndpointName,
  manualClock,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../simulator'

/** 12:15 on Thursday 15 January 2026, UTC. */
export const start = Date.UTC(2026, 0, 15, 12, 15)
export const startSeconds = start / 1000

const running: Simulator[] = []

/** Closes everything that a test has started; called in each `describe`. */
export function useSimulators(): void {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((simulator) => simulator.close()))
  })
}

/** A simulator whose clock stands still. */
export async function simulate(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ clock: manualClock(start), ...options })
  running.push(simulator)
  return simulator
}

/** A device with its own records, one per minute up to the start, ids from 1. */
export function tiny(count: number, more: Partial<DeviceDefinition> = {}): DeviceDefinition {
  return {
    serial: '52000001',
    channels: [{ num: 1, name: 'Air', unit: 'C' }],
    records: Array.from({ length: count }, (_, i) => ({
      unixtime: startSeconds - (count - i) * 60,
      values: { 1: i },
    })),
    ...more,
  }
}

export interface Reply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
  /** the body as JSON; throws if it is not JSON */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into, not modelled
  json: any
}

export interface Asking {
  path?: string
  headers?: Record<string, string | undefined>
  /** replaces the JSON of credentials and parameters */
  body?: string
  /** overrides the user's */
  credentials?: Record<string, unknown>
}

export function request(
  simulator: Simulator,
  endpoint: EndpointName | string,
  params: Record<string, unknown> = {},
  asking: Asking = {},
): Promise<Reply> {
  const { apiKey, loginId, loginPass } = simulator.account
  const own = { 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass }
  const body = asking.body ?? JSON.stringify({ ...(asking.credentials ?? own), ...params })
  const headers = {
    'Content-Type': 'application/json',
    'X-HTTP-Method-Override': 'GET',
    ...asking.headers,
  }
  return send(simulator, 'POST', asking.path ?? `/v1/devices/${endpoint}`, headers, body)
}

export async function send(
  simulator: Simulator,
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
  body?: string,
): Promise<Reply> {
  const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  const url = simulator.url + path
  const reply = await httpRequest(url, {
    method: method as 'POST',
    headers: given,
    body: body ?? null,
    reset: true,
  })
  // Unlike `text()`, it keeps a byte order mark.
  const text = Buffer.from(await reply.body.arrayBuffer()).toString()
  return {
    status: reply.statusCode,
    headers: reply.headers,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

export const office = { serial: '5F000001', name: 'Office' }

/** A remote unit with ch1 to ch4 and a few records. */
export function remote(more: Partial<DeviceDefinition> = {}): DeviceDefinition {
  return {
    serial: '52000002',
    base: office,
    channels: [1, 2, 3, 4].map((num) => ({ num, unit: 'C' })),
    records: [1, 2, 3].map((i) => ({
      unixtime: startSeconds - 600 * (4 - i),
      values: { 1: i, 2: i + 0.5, 3: -i, 4: 0 },
    })),
    ...more,
  }
}
