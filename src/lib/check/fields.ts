import { type Endpoint, type EndpointName, endpoints } from '../endpoints'
import type { Answered } from './exchange'

/** Which fields an answer has beside those of the service's description, and which it lacks (docs/service.md, *Fields*). */
export interface FieldFindings {
  /** Paths of fields that nobody described, such as `devices[].colour`; each once. */
  unknown: string[]
  /** Paths of fields that an answer should have. */
  missing: string[]
}

/** The fields of an object: required, optional, or either of two spellings. */
interface Shape {
  required?: readonly (string | readonly [string, string])[]
  optional?: readonly string[]
  /** Fields that hold objects or lists of them. */
  inner?: Readonly<Record<string, Shape>>
}

const OFFSETS = [
  ['time-diff', 'time_diff'],
  ['std-bias', 'std_bias'],
  ['dst-bias', 'dst_bias'],
] as const
const CHANNELS = ['ch1', 'ch2', 'ch3', 'ch4', 'ch5', 'ch6']
const CHANNEL: Shape = { required: ['name', 'num', 'unit'] }
const RECORD: Shape = { required: ['unixtime', ['data-id', 'data_id']], optional: CHANNELS }
const IDENTITY = ['serial', 'model', 'name']
const REMOTE = [
  ...['remote-serial', 'remote-model', 'remote-name'],
  ...['base-serial', 'base-model', 'base-name'],
]

/** `dst-flg` is an assumption of its own (`assumptions.ts`), so it is optional here. */
const FLAG = ['dst-flg', 'dst_flg']

const CURRENT: Shape = {
  inner: {
    devices: {
      required: [...IDENTITY, 'num', 'battery', ...OFFSETS, 'unixtime', 'channel', 'baseunit', 'group'],
      optional: ['rssi', ...FLAG],
      inner: {
        channel: { required: ['num', 'value', 'unit'], optional: ['name'] },
        baseunit: { required: IDENTITY },
        group: { required: ['num', 'name'] },
      },
    },
  },
}
const STANDALONE: Shape = {
  required: [...IDENTITY, ...OFFSETS],
  optional: FLAG,
  inner: { channel: CHANNEL, data: RECORD },
}
const RELAY: Shape = {
  required: [...REMOTE, ...OFFSETS],
  optional: FLAG,
  inner: { channel: CHANNEL, data: RECORD },
}
const ALERT: Shape = {
  required: [...REMOTE, ...OFFSETS],
  optional: FLAG,
  inner: {
    channel: CHANNEL,
    'alert-logs': {
      required: ['unixtime'],
      optional: [...CHANNELS, 'battery-level', 'communication-status'],
    },
  },
}

function shapeOf(endpoint: EndpointName): Shape {
  const { answer, relay }: Endpoint = endpoints[endpoint]
  const shapes: Record<Endpoint['answer'], Shape> = {
    current: CURRENT,
    alert: ALERT,
    graph: relay ? RELAY : STANDALONE,
  }
  return shapes[answer]
}

/** An answer may have thousands of records with the same field: each path is reported once, and at most so many. */
const MAX_PATHS = 50

/** Compares an answer with its description. */
export function compareFields({ endpoint, result: { body } }: Answered): FieldFindings {
  const unknown = new Set<string>()
  const missing = new Set<string>()
  const add = (paths: Set<string>, path: string) => {
    if (paths.size < MAX_PATHS) paths.add(path)
  }

  function compare(value: unknown, shape: Shape, path: string): void {
    if (Array.isArray(value)) {
      for (const element of value) compare(element, shape, path.endsWith('[]') ? path : `${path}[]`)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const { required = [], optional = [], inner = {} } = shape
    const at = (field: string) => (path === '' ? field : `${path}.${field}`)
    const known = new Set([...required.flat(), ...optional, ...Object.keys(inner)])
    for (const [field, content] of Object.entries(value)) {
      const deeper = Object.hasOwn(inner, field) ? inner[field] : undefined
      if (deeper) compare(content, deeper, at(field))
      else if (!known.has(field)) add(unknown, at(field))
    }
    const has = (field: string) => Object.hasOwn(value, field)
    for (const fields of [...required, ...Object.keys(inner)]) {
      const spellings = typeof fields === 'string' ? [fields] : fields
      if (!spellings.some(has)) add(missing, at(spellings[0] as string))
    }
  }

  compare(body, shapeOf(endpoint), '')
  return { unknown: [...unknown], missing: [...missing] }
}
