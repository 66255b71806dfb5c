import * as v from 'valibot'
import { nameDevice } from '../../../lib/collect/devices'
import { EnvlogError } from '../../../lib/errors'
import {
  type ActionType,
  ADVANCES,
  DEFAULT_ACK_TIMEOUT_SECONDS,
  DEVICES_TYPES,
  isSerial,
  MAX_REPEAT_SECONDS,
  MAX_WAIT_SECONDS,
  needsMessage,
  PERIOD_TYPES,
  RECEIPT_OUTPUTS,
  SELECTS,
  STARTS,
  TIME_STYLES,
  TOPICS,
} from '../../../shared/action'
import {
  DEFAULT_CHUNK,
  FIELD_NAMES,
  MEASUREMENTS,
  OFFERED,
  OUTPUTS,
  type Output,
  type Send,
} from '../../../shared/outputs'
import {
  arrayOf,
  choice,
  flag,
  groupName,
  isBlank,
  migrateToToday,
  optionalText,
  optionalWholeNumber,
  parseSettings,
  property,
  serial,
  textThat,
  trimmedText,
  wholeNumber,
} from './schema'

const namedDevice = v.pipe(
  v.unknown(),
  v.object({ serial, base: trimmedText((base) => base === '' || isSerial(base)) }),
  v.transform(({ serial, base }) => nameDevice(serial, base || undefined)),
)

const common = {
  account: optionalText,
  wait: optionalWholeNumber(0, MAX_WAIT_SECONDS),
  repeat: wholeNumber(0, MAX_REPEAT_SECONDS, 0),
  select: choice(SELECTS, 'all'),
  devices: arrayOf(namedDevice),
  bases: arrayOf(serial),
  groups: arrayOf(groupName),
  property: property((value) => (isBlank(value) ? 'devices' : value), v.pipe(v.unknown(), v.string())),
  propertyType: choice(DEVICES_TYPES, 'msg'),
  exclude: arrayOf(serial),
  topic: v.optional(v.string()),
  output: choice(OUTPUTS, 'readings'),
  send: optionalText,
  chunk: wholeNumber(1, 1_000_000, DEFAULT_CHUNK),
  // Nodes that write line protocol do not escape the measurement.
  measurement: textThat((text) => /^[^\s,\\]*$/.test(text)),
  time: choice(TIME_STYLES, 'utc'),
}

/** Settings of the nodes that send values: points of alerts have fixed fields. */
const valued = { fieldNames: choice(FIELD_NAMES, 'channel') }

/** Settings of the nodes that poll: they deliver each record or alert once. */
const polling = {
  ...common,
  onlyNew: flag(true),
  advance: choice(ADVANCES, 'sent'),
  ackTimeout: wholeNumber(1, MAX_REPEAT_SECONDS, DEFAULT_ACK_TIMEOUT_SECONDS),
}

/** One schema per node type. */
const schemas = {
  'envlog-current': v.object({
    ...common,
    ...valued,
    staleAfter: optionalWholeNumber(0, 1e9),
    onlyNew: flag(false),
  }),
  'envlog-latest': v.object({
    ...polling,
    ...valued,
    backfill: flag(true),
    start: property(
      (value) => (isBlank(value) ? 'held' : value),
      v.pipe(v.unknown(), v.union([v.string(), v.number()])),
    ),
  }),
  'envlog-range': v.object({
    ...common,
    ...valued,
    from: optionalText,
    fromType: choice(PERIOD_TYPES, 'rel'),
    to: optionalText,
    toType: choice(PERIOD_TYPES, 'date'),
    number: optionalWholeNumber(1, 1e9),
  }),
  'envlog-alerts': v.object({ ...polling, start: choice(STARTS, 'now') }),
}

type Parsed<T extends ActionType> = v.InferOutput<(typeof schemas)[T]>
export type SettingsOf<T extends ActionType> = Omit<Parsed<T>, 'send' | 'topic'> & {
  send: Send
  topic: string
}
export type CommonSettings = v.InferOutput<v.ObjectSchema<typeof common, undefined>>

/**
 * Migrates and checks the saved properties of an action node.
 * @throws EnvlogError `setting-invalid` with the property, `settings-newer`, `no-devices`, `repeat-needs-message`,
 * `output-not-offered`, `advance-needs-device`
 */
export function readActionSettings<T extends ActionType>(type: T, config: object): SettingsOf<T> {
  const settings = parseSettings<Parsed<T>>(schemas[type], migrateToToday(type, config))
  const { select, devices, bases, groups } = settings
  const chosen = { list: [...devices, ...bases], base: bases, group: groups, all: undefined, msg: undefined }[
    select
  ]
  if (chosen?.length === 0) throw new EnvlogError('no-devices')
  if (settings.repeat > 0 && needsMessage(settings)) throw new EnvlogError('repeat-needs-message')
  const send = readSend(type, settings)
  if ('advance' in settings && settings.advance === 'acknowledged' && settings.onlyNew) {
    const carriesReceipts = send === 'device' && RECEIPT_OUTPUTS.includes(settings.output)
    if (!carriesReceipts) throw new EnvlogError('advance-needs-device')
  }
  return {
    ...settings,
    send,
    measurement: settings.measurement || MEASUREMENTS[type],
    topic: settings.topic ?? TOPICS[type],
  } as SettingsOf<T>
}

/** The chosen value of `send`; the default of the output where it offers only one, or none is chosen. */
function readSend(type: ActionType, { output, send }: { output: Output; send: string }): Send {
  const offered = OFFERED[type][output] ?? []
  const [first] = offered
  const found = offered.length === 1 || send === '' ? first : offered.find((one) => one === send)
  if (!found) throw new EnvlogError('output-not-offered', { output, send })
  return found
}
