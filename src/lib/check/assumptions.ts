import { LIMITS } from '../../shared/service-limits'
import { isAbsent } from '../decode/fields'
import { readNumber } from '../decode/number'
import type { EndpointName } from '../endpoints'
import { classifyAlert } from '../readings/alert-kind'
import { parseChannelNumber } from '../readings/channel'
import { ID_MODULUS } from '../readings/continuity'
import {
  bodyOf,
  channelBaseOf,
  devicesOf,
  entriesOf,
  idOf,
  isFilledArray,
  type Json,
  numberTypesOf,
  objectsIn,
  offsetHoldersOf,
  offsetSpellingOf,
  orderOf,
  recordsOf,
  serialsIn,
  single,
  timesOf,
} from './answer-parts'
import { type Answered, type Exchange, isAnswered } from './exchange'
import { compareFields } from './fields'

/**
 * What the package takes for true of the service (docs/service.md, *What is certain*), held against the answers of one
 * check. Each assumption is a function from answers to what was seen.
 */

export type Verdict =
  /** As the service describes it. */
  | 'confirmed'
  /** Different, in a way that the package expects. */
  | 'differs'
  /** Different, in a way that the package does not expect: worth a report. */
  | 'contradicted'
  /** The answers do not show it. */
  | 'not-seen'

export interface Finding {
  /** As in docs/service.md, *What is certain*. */
  assumption: AssumptionName
  verdict: Verdict
  /** What was seen, as a key of the catalogs (`seen.<key>`); absent where nothing was. */
  seen?: string
  /** Fields, endpoints or figures: no text of the service but names of fields. */
  details: readonly string[]
}

type Observation = Omit<Finding, 'assumption'>

const NOT_SEEN: Observation = { verdict: 'not-seen', details: [] }

const observe = (verdict: Verdict, seen: string, details: Iterable<string> = []): Observation => ({
  verdict,
  seen,
  details: [...new Set(details)],
})

const LATEST: readonly EndpointName[] = ['latest-data', 'latest-data-relay']
const PERIOD: readonly EndpointName[] = ['data', 'data-relay']
const GRAPH: readonly EndpointName[] = [...LATEST, ...PERIOD]
/** Endpoints whose numbers are described as text, and those that send the daylight saving flag. */
const AS_TEXT: readonly EndpointName[] = ['current', 'latest-data-relay', 'alert']
const WITH_FLAG: readonly EndpointName[] = ['latest-data-relay', 'alert']

const isOf = (endpoints: readonly EndpointName[]) => (answer: Answered) => endpoints.includes(answer.endpoint)

type Observe = (answers: readonly Answered[], all: readonly Exchange[]) => Observation

const ASSUMPTIONS = {
  bounds(answers) {
    const answer = answers.find(isOf(['data']))
    const { 'unixtime-from': from, 'unixtime-to': to } = answer?.params ?? {}
    if (!answer || typeof from !== 'number' || typeof to !== 'number') return NOT_SEEN
    const times = timesOf(recordsOf(answer))
    if (times.some((time) => time < from || time > to)) return observe('contradicted', 'outside')
    if (times.length === 0) return NOT_SEEN
    const [hasFrom, hasTo] = [times.includes(from), times.includes(to)]
    if (hasFrom && hasTo) return observe('differs', 'inclusive')
    if (!hasFrom && !hasTo) return observe('confirmed', 'strict')
    return observe('differs', hasFrom ? 'from-inclusive' : 'to-inclusive')
  },

  order(answers) {
    const orders = answers.filter(isOf(GRAPH)).map((answer) => orderOf(timesOf(recordsOf(answer))))
    const seen = new Set(orders.filter((order) => order !== undefined))
    if (seen.size === 0) return NOT_SEEN
    const [only] = seen.size === 1 ? seen : ['mixed']
    return observe(only === 'ascending' ? 'confirmed' : 'differs', only as string)
  },

  'newest-first'(answers) {
    const limited = answers.find(({ endpoint, params }) => PERIOD.includes(endpoint) && 'number' in params)
    const latest = answers.find(isOf(['latest-data-relay']))
    if (!limited || !latest) return NOT_SEEN
    const { 'unixtime-from': from, 'unixtime-to': to, number } = limited.params as Record<string, number>
    const times = timesOf(recordsOf(limited))
    const inside = timesOf(recordsOf(latest)).filter((time) => time > Number(from) && time < Number(to))
    if (times.length === 0 || inside.length <= Number(number)) return NOT_SEEN
    if (times.length > Number(number)) return observe('contradicted', 'too-many', [`${times.length}`])
    return Math.max(...times) >= Math.max(...inside)
      ? observe('confirmed', 'newest')
      : observe('contradicted', 'oldest')
  },

  'channel-numbers'(answers) {
    const seen = answers.filter(isOf(GRAPH)).flatMap((answer) => {
      const base = channelBaseOf(answer)
      return base === undefined
        ? []
        : [{ base, described: answer.endpoint.endsWith('relay') ? 1 : 0, answer }]
    })
    if (seen.length === 0) return NOT_SEEN
    const strange = seen.filter(({ base }) => base === null)
    if (strange.length > 0)
      return observe(
        'contradicted',
        'neither',
        strange.map(({ answer }) => answer.endpoint),
      )
    const others = seen.filter(({ base, described }) => base !== described)
    const details = others.map(({ answer, base }) => `${answer.endpoint}: ${base}`)
    return details.length > 0
      ? observe('differs', 'other-base', details)
      : observe('confirmed', 'as-described')
  },

  'channel-count'(answers) {
    const counts = answers.filter(isOf(GRAPH)).map((answer) => {
      const numbers = recordsOf(answer).flatMap((record) => Object.keys(record).map(parseChannelNumber))
      return { answer, highest: Math.max(0, ...numbers.filter((number) => number !== undefined)) }
    })
    if (counts.every(({ highest }) => highest === 0)) return NOT_SEEN
    const more = counts.filter(({ answer, highest }) => highest > (answer.endpoint.endsWith('relay') ? 4 : 2))
    return more.length > 0
      ? observe(
          'differs',
          'more-channels',
          more.map(({ answer, highest }) => `${answer.endpoint}: ch${highest}`),
        )
      : observe('confirmed', 'as-described')
  },

  numbers(answers) {
    const others = answers.flatMap((answer) => {
      const types = numberTypesOf(answer)
      const described = AS_TEXT.includes(answer.endpoint) ? 'text' : 'number'
      return [...types].some((type) => type !== described)
        ? [`${answer.endpoint}: ${[...types].join(', ')}`]
        : []
    })
    if (answers.length === 0) return NOT_SEEN
    return others.length > 0
      ? observe('differs', 'other-types', others)
      : observe('confirmed', 'as-described')
  },

  'offset-spelling'(answers) {
    const spellings = answers.map((answer) => ({ answer, spelling: offsetSpellingOf(answer) }))
    const seen = spellings.filter(({ spelling }) => spelling !== undefined)
    if (seen.length === 0) return NOT_SEEN
    const others = seen.filter(({ answer: { endpoint }, spelling }) => {
      if (endpoint === 'current') return spelling !== 'underscore'
      return endpoint.endsWith('relay') || endpoint === 'alert' ? spelling !== 'hyphen' : false
    })
    const details = others.map(({ answer, spelling }) => `${answer.endpoint}: ${spelling}`)
    return details.length > 0
      ? observe('differs', 'other-spelling', details)
      : observe('confirmed', 'as-described')
  },

  'daylight-saving'(answers) {
    const seen = answers.flatMap((answer) =>
      offsetHoldersOf(answer).map((holder) => ({
        answer,
        hasFlag: 'dst-flg' in holder || 'dst_flg' in holder,
      })),
    )
    if (seen.length === 0) return NOT_SEEN
    const missing = seen.filter(({ answer, hasFlag }) => isOf(WITH_FLAG)(answer) && !hasFlag)
    const added = seen.filter(({ answer, hasFlag }) => !isOf(WITH_FLAG)(answer) && hasFlag)
    if (missing.length > 0)
      return observe(
        'differs',
        'flag-missing',
        missing.map(({ answer }) => answer.endpoint),
      )
    if (added.length > 0)
      return observe(
        'differs',
        'flag-added',
        added.map(({ answer }) => answer.endpoint),
      )
    return seen.some(({ hasFlag }) => hasFlag) ? observe('confirmed', 'as-described') : NOT_SEEN
  },

  'dst-bias'(answers) {
    const biases = (of: readonly EndpointName[]) =>
      answers.filter(isOf(of)).flatMap((answer) =>
        offsetHoldersOf(answer).map((holder) => ({
          endpoint: answer.endpoint,
          bias: readNumber(holder['dst-bias'] ?? holder.dst_bias),
          flag: readNumber(holder['dst-flg'] ?? holder.dst_flg),
        })),
      )
    const withFlag = biases(WITH_FLAG)
    const others = withFlag.filter(({ bias }) => bias !== 60)
    if (others.length > 0) {
      return observe(
        'differs',
        'not-60',
        others.map(({ endpoint, bias }) => `${endpoint}: ${bias}`),
      )
    }
    // Without daylight saving the other endpoints have the device's own value, which 60 is not.
    const isOff = withFlag.length > 0 && withFlag.every(({ flag }) => flag === 0)
    const sixty = biases(['data-relay']).filter(({ bias }) => isOff && bias === 60)
    if (sixty.length > 0)
      return observe(
        'differs',
        'always-60',
        sixty.map(({ endpoint }) => endpoint),
      )
    return withFlag.length > 0 ? observe('confirmed', 'as-described') : NOT_SEEN
  },

  standalone(answers) {
    const devices = answers.filter(isOf(['current'])).flatMap(devicesOf)
    const empty = devices.filter(({ baseunit }) => isAbsent(baseunit))
    if (empty.length > 0) return observe('differs', 'no-base-unit')
    const bases = devices.map(({ serial, baseunit }) => ({ serial, base: single(baseunit).serial }))
    return bases.some(({ serial, base }) => serial === base)
      ? observe('confirmed', 'own-base-unit')
      : NOT_SEEN
  },

  'standalone-number'(answers) {
    const devices = answers.filter(isOf(['current'])).flatMap(devicesOf)
    const standalone = devices.filter(
      ({ serial, baseunit }) => isAbsent(baseunit) || single(baseunit).serial === serial,
    )
    if (standalone.length === 0) return NOT_SEEN
    const others = standalone.map(({ num }) => readNumber(num)).filter((num) => num !== 0)
    return others.length > 0 ? observe('differs', 'not-0', others.map(String)) : observe('confirmed', 'zero')
  },

  'nested-objects'(answers) {
    const devices = answers.filter(isOf(['current'])).flatMap(devicesOf)
    if (devices.length === 0) return NOT_SEEN
    const listed = ['baseunit', 'group'].filter((field) =>
      devices.some((device) => isFilledArray(device[field])),
    )
    return listed.length > 0 ? observe('differs', 'lists', listed) : observe('confirmed', 'objects')
  },

  'no-group'(answers) {
    const groups = answers.filter(isOf(['current'])).flatMap(devicesOf)
    const empty = groups.filter(({ group }) => isAbsent(group))
    if (empty.length > 0) return observe('differs', 'empty-list')
    const unnamed = groups.map(({ group }) => single(group)).filter(({ name }) => name === '')
    if (unnamed.length === 0) return NOT_SEEN
    const numbered = unnamed.filter(({ num }) => (readNumber(num) ?? 0) !== 0)
    return numbered.length > 0
      ? observe('differs', 'number-without-name')
      : observe('confirmed', 'blank-name')
  },

  'blank-fields'(answers) {
    const devices = answers.filter(isOf(['current'])).flatMap(devicesOf)
    if (devices.length < 2) return NOT_SEEN
    const channels = devices.flatMap(({ channel }) => objectsIn(channel))
    const isBlankEverywhere = (objects: readonly Json[], field: string) =>
      objects.length > 1 && objects.every((object) => object[field] === '')
    const blank = [
      ...['rssi', 'unixtime'].filter((field) => isBlankEverywhere(devices, field)),
      ...['name', 'value']
        .filter((field) => isBlankEverywhere(channels, field))
        .map((field) => `channel.${field}`),
    ]
    return blank.length > 0 ? observe('differs', 'always-blank', blank) : observe('confirmed', 'filled')
  },

  'ids-standalone': (answers) => idsOf(answers.find(isOf(['latest-data'])), 'standalone'),
  'ids-relay': (answers) => idsOf(answers.find(isOf(['latest-data-relay'])), 'relay'),

  'newest-300'(answers) {
    const counts = answers.filter(isOf(LATEST)).map((answer) => recordsOf(answer).length)
    const most = Math.max(0, ...counts)
    if (most > 300) return observe('contradicted', 'more', [`${most}`])
    return most === 300 ? observe('confirmed', 'at-most') : NOT_SEEN
  },

  'alert-20'(answers) {
    const [answer] = answers.filter(isOf(['alert']))
    if (!answer) return NOT_SEEN
    const count = entriesOf(answer).length
    if (count > 20) return observe('contradicted', 'more', [`${count}`])
    return count === 20 ? observe('confirmed', 'at-most') : NOT_SEEN
  },

  'alert-newest-first'(answers) {
    const [answer] = answers.filter(isOf(['alert']))
    const order = answer && orderOf(timesOf(entriesOf(answer)))
    if (order === undefined) return NOT_SEEN
    return observe(order === 'descending' ? 'confirmed' : 'differs', order)
  },

  'alert-texts'(answers) {
    const texts = answers.filter(isOf(['alert'])).flatMap((answer) => {
      const names = new Map(
        objectsIn(bodyOf(answer).channel).map(({ num, name }) => [readNumber(num), String(name ?? '')]),
      )
      return entriesOf(answer).flatMap((entry) =>
        Object.entries(entry).flatMap(([field, text]) => {
          const number = parseChannelNumber(field)
          if (number === undefined || typeof text !== 'string' || text === '') return []
          return [classifyAlert(`ch${number}`, text, names.get(number) ?? '')]
        }),
      )
    })
    if (texts.length === 0) return NOT_SEEN
    const others = texts.filter((kind) => kind === 'other').length
    return others > 0
      ? observe('differs', 'unknown-texts', [`${others}`])
      : observe('confirmed', 'known-texts')
  },

  'record-errors'(answers) {
    const values = answers
      .filter(isOf(GRAPH))
      .flatMap(recordsOf)
      .flatMap((record) =>
        Object.entries(record).filter(([field]) => parseChannelNumber(field) !== undefined),
      )
      .map(([, value]) => value)
    const texts = values.filter((value) => !isAbsent(value) && readNumber(value) === null)
    if (texts.length === 0) return NOT_SEEN
    const strange = texts.filter((text) => typeof text !== 'string' || !/^\s*E/.test(text))
    return strange.length > 0
      ? observe('contradicted', 'other-errors', [`${strange.length}`])
      : observe('confirmed', 'letter-e')
  },

  'battery-table'(answers) {
    const codes = answers
      .filter(isOf(['current']))
      .flatMap(devicesOf)
      .filter(({ battery }) => !isAbsent(battery))
      .map(({ battery }) => readNumber(battery))
    if (codes.length === 0) return NOT_SEEN
    const strange = codes.filter((code) => code === null || !Number.isInteger(code) || code < 1 || code > 5)
    return strange.length > 0
      ? observe('contradicted', 'other-codes', strange.map(String))
      : observe('confirmed', 'codes')
  },

  serials(answers) {
    const serials = answers.flatMap((answer) => serialsIn(answer))
    if (serials.length === 0) return NOT_SEEN
    const strange = serials.filter((serial) => !/^[0-9A-Za-z]{8}$/.test(serial))
    return strange.length > 0
      ? observe(
          'contradicted',
          'other-length',
          strange.map(({ length }) => `${length}`),
        )
      : observe('confirmed', 'eight-characters')
  },

  limits(answers) {
    const headers = answers.map(({ endpoint, result: { quota } }) => ({ endpoint, ...quota }))
    if (headers.length === 0) return NOT_SEEN
    const absent = headers.filter(({ limit, windowSeconds, remaining }) =>
      [limit, windowSeconds, remaining].includes(null),
    )
    if (absent.length > 0)
      return observe(
        'differs',
        'headers-missing',
        absent.map(({ endpoint }) => endpoint),
      )
    const others = headers.filter(
      ({ endpoint, limit, windowSeconds }) =>
        limit !== LIMITS[endpoint].limit || windowSeconds !== LIMITS[endpoint].window,
    )
    return others.length > 0
      ? observe(
          'differs',
          'other-limits',
          others.map(({ endpoint, limit, windowSeconds }) => `${endpoint}: ${limit} / ${windowSeconds} s`),
        )
      : observe('confirmed', 'as-described')
  },

  'records-limit'(answers) {
    const counts = answers
      .filter(isOf(PERIOD))
      .map(({ endpoint, result }) => ({ endpoint, left: result.quota.recordsRemaining }))
    if (counts.length === 0) return NOT_SEEN
    const absent = counts.filter(({ left }) => left === null)
    if (absent.length > 0)
      return observe(
        'differs',
        'headers-missing',
        absent.map(({ endpoint }) => endpoint),
      )
    const more = counts.filter(({ left }) => Number(left) > LIMITS.data.records)
    return more.length > 0
      ? observe(
          'differs',
          'other-limits',
          more.map(({ endpoint, left }) => `${endpoint}: ${left}`),
        )
      : observe('confirmed', 'as-described')
  },

  'content-type'(answers) {
    const types = answers.flatMap(({ endpoint, result: { contentType } }) =>
      contentType === undefined ? [] : [{ endpoint, contentType }],
    )
    if (types.length === 0) return NOT_SEEN
    const others = types.filter(({ contentType }) => !/^application\/json\b/i.test(contentType))
    return others.length > 0
      ? observe(
          'differs',
          'other-type',
          others.map(({ endpoint }) => endpoint),
        )
      : observe('confirmed', 'json')
  },

  'relay-suffix'(_answers, all) {
    const relay = all.filter(({ endpoint }) => endpoint.endsWith('relay'))
    const statuses = relay.map(({ result }) => (result.isAnswered ? 200 : result.error.cause.status))
    if (statuses.every((status) => status === undefined)) return NOT_SEEN
    return statuses.includes(404)
      ? observe('contradicted', 'no-such-path')
      : observe('confirmed', 'path-exists')
  },

  'error-object'(_answers, all) {
    const refusals = all.flatMap(({ endpoint, result }) =>
      result.isAnswered ? [] : [{ endpoint, error: result.error }],
    )
    const withStatus = refusals.filter(({ error }) => error.cause.status !== undefined)
    if (withStatus.length === 0) return NOT_SEEN
    const strange = withStatus.filter(({ error }) => error.cause.serviceCode === undefined)
    if (strange.length > 0)
      return observe(
        'contradicted',
        'no-error-object',
        strange.map(({ endpoint }) => endpoint),
      )
    const texts = withStatus.filter(({ error }) => typeof error.cause.serviceCode !== 'number')
    return texts.length > 0 ? observe('differs', 'code-as-text') : observe('confirmed', 'code-as-number')
  },

  fields(answers) {
    const found = answers.map((answer) => ({ endpoint: answer.endpoint, ...compareFields(answer) }))
    if (found.length === 0) return NOT_SEEN
    const paths = (name: 'unknown' | 'missing') =>
      found.flatMap((one) => one[name].map((path) => `${one.endpoint}: ${path}`))
    if (paths('missing').length > 0) return observe('contradicted', 'fields-missing', paths('missing'))
    return paths('unknown').length > 0
      ? observe('differs', 'fields-added', paths('unknown'))
      : observe('confirmed', 'as-described')
  },
} as const satisfies Record<string, Observe>

export type AssumptionName = keyof typeof ASSUMPTIONS

/** Every assumption that answers can show, in the order of the table above. */
export function checkAssumptions(exchanges: readonly Exchange[]): Finding[] {
  const answers = exchanges.filter(isAnswered)
  return Object.entries(ASSUMPTIONS).map(([assumption, observeIn]) => ({
    assumption: assumption as AssumptionName,
    ...(observeIn as Observe)(answers, exchanges),
  }))
}

/** Ids of a standalone device grow; those of a remote unit begin again at 0 after 65,535 (docs/service.md, *Fields*). */
function idsOf(answer: Answered | undefined, kind: 'standalone' | 'relay'): Observation {
  const records = answer ? recordsOf(answer).filter(({ unixtime }) => readNumber(unixtime) !== null) : []
  if (records.length < 2) return NOT_SEEN
  const sorted = records
    .map((record) => ({ time: readNumber(record.unixtime) as number, id: readNumber(idOf(record)) }))
    .sort((one, other) => one.time - other.time)
  const ids = sorted.map(({ id }) => id)
  if (ids.every((id) => id === 0)) return observe('confirmed', 'all-zero')
  if (ids.includes(null)) return observe('contradicted', 'id-missing')
  const max = kind === 'relay' ? ID_MODULUS - 1 : Number.MAX_SAFE_INTEGER
  if (ids.some((id) => !Number.isInteger(id) || Number(id) < 0 || Number(id) > max)) {
    return observe('contradicted', 'id-outside')
  }
  let restarts = 0
  for (const [index, { id, time }] of sorted.entries()) {
    const before = sorted[index - 1]
    if (!before || before.time === time) continue
    if (id === before.id) return observe('contradicted', 'id-repeated')
    if (Number(id) < Number(before.id)) restarts++
  }
  if (restarts > 1) return observe('contradicted', 'id-order')
  return observe('confirmed', restarts === 1 ? 'restarted' : 'growing')
}
