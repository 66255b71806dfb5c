/**
 * A host application of Sparkplug B 3.0 that holds an edge node to the specification, and what it sees of the edge
 * node's connections.
 *
 *     const host = await startHost(broker.node.port, 'Factory', 'envlog')
 *     …
 *     assert.deepEqual(host.violations, [])
 */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connectAsync, type IPublishPacket } from 'mqtt'
import { paletteFolder } from './palette'

export interface Metric {
  name: string
  type: string
  value: unknown
  /** ms since 1970 */
  timestamp?: number
  properties?: Record<string, { type: string; value: unknown }>
}

interface Payload {
  timestamp?: number
  seq?: number
  metrics?: Metric[]
}

export interface Heard {
  type: string
  device: string | undefined
  payload: Payload
}

export interface HostDevice {
  isAlive: boolean
  metrics: Map<string, Metric>
}

export interface Host {
  /** Everything that was published, oldest first. */
  readonly heard: readonly Heard[]
  /** What the specification forbids. */
  readonly violations: readonly string[]
  readonly isOnline: boolean
  readonly bdSeq: number
  readonly devices: ReadonlyMap<string, HostDevice>
  count(type: string, device?: string): number
  /** Publishes an NCMD; `what` as bytes: whatever these are. */
  command(what: Metric[] | Buffer): Promise<void>
  end(): Promise<void>
}

interface Codec {
  encodePayload(payload: object): Uint8Array
  decodePayload(bytes: Uint8Array): Payload
}

async function loadCodec(): Promise<Codec> {
  const load = createRequire(join(await paletteFolder(), 'package.json'))
  return load('sparkplug-payload').get('spBv1.0')
}

/** 64-bit numbers come as objects. */
const plain = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'unsigned' in value ? Number(String(value)) : value

/** The objects of the library know how to become JSON: what is in them is wanted, before that. */
function readPayload(codec: Codec, bytes: Buffer): Payload {
  return JSON.parse(JSON.stringify(codec.decodePayload(bytes), plain))
}

const isSame = (one: Metric, other: Metric | undefined) =>
  JSON.stringify([one.value, one.properties]) ===
  JSON.stringify([
    other?.value,
    other?.properties && one.properties && pick(other.properties, one.properties),
  ])

const pick = (from: object, like: object) =>
  Object.fromEntries(Object.keys(like).map((key) => [key, (from as Record<string, unknown>)[key]]))

const QUALITIES = [0, 192, 500]

export async function startHost(port: number, group: string, node: string): Promise<Host> {
  const codec = await loadCodec()
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 100 })
  const heard: Heard[] = []
  const violations: string[] = []
  const devices = new Map<string, HostDevice>()
  /** Unknown when the host has just come: it asks for a birth. */
  let state: 'unknown' | 'online' | 'offline' = 'unknown'
  let bdSeq = Number.NaN
  let seq = 0

  const command = async (what: Metric[] | Buffer) => {
    const bytes = Buffer.isBuffer(what)
      ? what
      : Buffer.from(codec.encodePayload({ timestamp: Date.now(), metrics: what }))
    await client.publishAsync(`spBv1.0/${group}/NCMD/${node}`, bytes, { qos: 0 })
  }

  const isBdSeq = (metric: Metric | undefined) => metric?.name === 'bdSeq' && metric.type === 'Int64'

  function checkBirth(metrics: readonly Metric[], check: (holds: boolean, rule: string) => void): void {
    check(new Set(metrics.map(({ name }) => name)).size === metrics.length, 'names are unique')
    for (const { name, type, timestamp } of metrics)
      check(Boolean(name && type && timestamp), 'a metric has a name, a type and a time')
  }

  const rules: Record<string, (payload: Payload, device: string, check: Check) => void> = {
    NBIRTH({ metrics = [], seq: first }, _device, check) {
      check(first === 0, 'the first seq is 0')
      checkBirth(metrics, check)
      const number = metrics.find(isBdSeq)
      check(number !== undefined, 'it has bdSeq')
      const rebirth = metrics.find(({ name }) => name === 'Node Control/Rebirth')
      check(rebirth?.type === 'Boolean' && rebirth.value === false, 'it can be asked for a rebirth')
      check(state !== 'online' || number?.value === bdSeq, 'a rebirth keeps bdSeq')
      state = 'online'
      bdSeq = Number(number?.value)
      seq = 0
      for (const device of devices.values()) device.isAlive = false
    },
    NDEATH({ metrics = [], seq: none }, _device, check) {
      check(
        none === undefined && metrics.length === 1 && isBdSeq(metrics[0]),
        'it has bdSeq and nothing else',
      )
      // That of an earlier session may be late.
      if (metrics[0]?.value !== bdSeq) return
      state = 'offline'
      for (const device of devices.values()) device.isAlive = false
    },
    DBIRTH({ metrics = [] }, device, check) {
      checkBirth(metrics, check)
      devices.set(device, { isAlive: true, metrics: new Map(metrics.map((metric) => [metric.name, metric])) })
    },
    DDATA({ metrics = [] }, device, check) {
      const known = devices.get(device)
      check(known?.isAlive === true, 'the device is born')
      check(metrics.length > 0, 'something has changed')
      for (const metric of metrics) {
        const before = known?.metrics.get(metric.name)
        check(before?.type === metric.type, 'a metric is of its birth, and of the same type')
        check(metric.timestamp !== undefined, 'a metric has a time')
        check(!isSame(metric, before), 'a metric has changed')
        known?.metrics.set(metric.name, {
          ...metric,
          properties: { ...before?.properties, ...metric.properties },
        })
      }
    },
    DDEATH(_payload, device, check) {
      const known = devices.get(device)
      check(known?.isAlive === true, 'the device is born')
      if (known) known.isAlive = false
    },
  }

  client.on('message', (topic: string, bytes: Buffer, { qos, retain }: IPublishPacket) => {
    const [, , type = '', , device] = topic.split('/')
    if (type === 'NCMD') return
    const payload = readPayload(codec, bytes)
    heard.push({ type, device, payload })
    // An edge node that was there before the host: it has been asked for a birth.
    if (state === 'unknown' && type !== 'NBIRTH') return
    const check: Check = (holds, rule) => {
      if (!holds) violations.push(`${topic}: ${rule}: ${JSON.stringify(payload)}`)
    }
    check(type in rules, 'it is a message of an edge node')
    check(type.startsWith('D') === (device !== undefined), 'a device is named where there is one')
    check(!retain && qos === (type === 'NDEATH' ? 1 : 0), 'it has the QoS of its type, and is not retained')
    check(type === 'NDEATH' || payload.timestamp !== undefined, 'it says when it was sent')
    for (const { properties } of payload.metrics ?? []) {
      const quality = properties?.Quality
      check(
        !quality || (quality.type === 'Int32' && QUALITIES.includes(Number(quality.value))),
        'a known quality',
      )
    }
    if (type !== 'NBIRTH' && type !== 'NDEATH') {
      check(state === 'online', 'the edge node is born')
      check(payload.seq === (seq + 1) % 256, `seq follows ${seq}`)
      seq = Number(payload.seq)
    }
    rules[type]?.(payload, device ?? '', check)
  })

  const arrive = async () => {
    state = 'unknown'
    await client.subscribeAsync(`spBv1.0/${group}/#`, { qos: 1 })
    await command([{ name: 'Node Control/Rebirth', type: 'Boolean', value: true }])
  }
  await arrive()
  client.on('connect', () => void arrive())

  return {
    heard,
    violations,
    devices,
    get isOnline() {
      return state === 'online'
    },
    get bdSeq() {
      return bdSeq
    },
    count: (type, device) =>
      heard.filter((one) => one.type === type && (device === undefined || one.device === device)).length,
    command,
    end: () => client.endAsync(),
  }
}

type Check = (holds: boolean, rule: string) => void

/** What an MQTT 3.1.1 client connects with. */
export interface Connection {
  clientId: string
  isClean: boolean
  will: { topic: string; qos: number; isRetained: boolean; payload: Payload } | undefined
}

export interface Line {
  port: number
  /** All that the broker has answered, oldest first. */
  readonly connections: readonly Connection[]
  /** Cuts whoever is connected. */
  cut(): void
  close(): Promise<void>
}

/** A line to a broker that can be cut, and that sees how clients connect. */
export async function startLine(target: number): Promise<Line> {
  const codec = await loadCodec()
  const connections: Connection[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    socket.once('data', (bytes: Buffer) => {
      onward.once('data', () => connections.push(readConnect(codec, bytes)))
    })
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A CONNECT packet (MQTT 3.1.1, chapter 3.1). */
function readConnect(codec: Codec, bytes: Buffer): Connection {
  // The length of the rest is one byte, or more with the highest bit set.
  let at = bytes.findIndex((byte, index) => index > 0 && byte < 0x80) + 1
  const read = () => {
    const length = bytes.readUInt16BE(at)
    at += 2 + length
    return bytes.subarray(at - length, at)
  }
  const protocol = read().toString()
  const [level, flags = 0] = bytes.subarray(at, at + 2)
  if (bytes[0] !== 0x10 || protocol !== 'MQTT' || level !== 4)
    throw new Error('This is no CONNECT of MQTT 3.1.1')
  at += 4
  const clientId = read().toString()
  const isClean = (flags & 0x02) !== 0
  if ((flags & 0x04) === 0) return { clientId, isClean, will: undefined }
  const topic = read().toString()
  const payload = readPayload(codec, read())
  return {
    clientId,
    isClean,
    will: { topic, qos: (flags >> 3) & 0x03, isRetained: (flags & 0x20) !== 0, payload },
  }
}
