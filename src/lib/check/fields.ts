import { readElements } from '../decode/fields'
import type { EndpointName } from '../endpoints'
import { type JsonObject, objectsIn, type SuccessfulExchange } from './exchange'
import type { Findings } from './findings'

/**
 * The fields of each object in a response, as the service describes them (docs/service.md, *Fields*), by the path of
 * the object. `?` marks an optional field. Hyphens and underscores are equivalent.
 */
type Description = Readonly<Record<string, string>>

const REMOTE = 'remote-serial remote-model remote-name base-serial base-model base-name'
const OFFSETS = 'time-diff std-bias dst-bias'
const CHANNEL = 'name num unit'

const STANDALONE: Description = {
  '': `serial model name ${OFFSETS} channel data`,
  channel: CHANNEL,
  data: 'unixtime data-id ch1? ch2?',
}
const RELAY: Description = {
  '': `${REMOTE} ${OFFSETS} channel data`,
  channel: CHANNEL,
  data: 'unixtime data-id ch1? ch2? ch3? ch4?',
}
const DESCRIPTIONS: Record<EndpointName, Description> = {
  current: {
    '': 'devices',
    devices: `serial model name num battery rssi? ${OFFSETS} unixtime channel baseunit group`,
    'devices.channel': 'num name? value unit',
    'devices.baseunit': 'serial model name',
    'devices.group': 'num name',
  },
  'latest-data': STANDALONE,
  data: STANDALONE,
  'latest-data-relay': { ...RELAY, '': `${RELAY['']} dst-flg?` },
  'data-relay': RELAY,
  alert: {
    '': `${REMOTE} ${OFFSETS} dst-flg? channel alert-logs`,
    channel: CHANNEL,
    'alert-logs': 'unixtime ch1? ch2? ch3? ch4? ch5? ch6? battery-level? communication-status?',
  },
}

/** The flag for daylight saving time. Without it, local times are off by an hour in summer. */
const FLAG = 'dst-flg'

const nameOf = (field: string) => field.replace('?', '').replaceAll('_', '-')

/** Compares the fields of a response with their description. */
export function checkFields({ endpoint, body }: SuccessfulExchange, findings: Findings): void {
  const description = DESCRIPTIONS[endpoint]

  function checkObject(object: JsonObject, path: string): void {
    const join = (field: string) => (path === '' ? field : `${path}.${field}`)
    const described = (description[path] ?? '').split(' ')
    const names = new Set(described.map(nameOf))
    const found = new Set(Object.keys(object).map(nameOf))
    if (names.has(FLAG)) findings.expect('daylight-saving', found.has(FLAG), 'flag-missing', endpoint)
    for (const field of described) {
      const isPresent = field.endsWith('?') || found.has(field)
      findings.require('fields', isPresent, 'fields-missing', `${endpoint}: ${join(field)}`)
    }
    for (const [field, value] of Object.entries(object)) {
      findings.expect('fields', names.has(nameOf(field)), 'fields-added', `${endpoint}: ${join(field)}`)
      if (description[join(field)] === undefined) continue
      for (const inner of objectsIn(readElements(value) ?? [value])) checkObject(inner, join(field))
    }
  }

  checkObject(body, '')
}
