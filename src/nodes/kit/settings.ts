import { z } from 'zod'
import { nameDevice } from '../../lib/collect/devices'
import { EnvlogError } from '../../lib/errors'
import {
  ACCOUNT_DEFAULTS,
  ACCOUNT_RANGES,
  addressProblem,
  CREDENTIAL_LENGTHS,
  isRelaySuffix,
  ledgerProblem,
  normaliseAddress,
} from '../../shared/account'
import {
  ACKNOWLEDGED_OUTPUTS,
  type ActionType,
  ADVANCES,
  DEFAULT_ACK_TIMEOUT,
  DEVICES_TYPES,
  isSerial,
  LONGEST_REPEAT,
  LONGEST_WAIT,
  needsMessage,
  PERIOD_TYPES,
  SELECTS,
  STARTS,
  TIME_STYLES,
  TOPICS,
} from '../../shared/action'
import { isLimits, type LimitsTable, readLimits } from '../../shared/limits'
import {
  DEFAULT_CHUNK,
  FIELD_NAMES,
  MEASUREMENTS,
  OFFERED,
  OUTPUTS,
  type Output,
  type Send,
} from '../../shared/outputs'
import { migrate, VERSION, versionOf } from '../../shared/versions'

/**
 * The saved properties (docs/nodes.md), read once when a node is made: first brought to today's version, then
 * checked. Numbers may be saved as text, blanks mean the default, and properties we do not know are left alone.
 */

const blank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function whole(least: number, most: number, fallback: number) {
  return z.preprocess(
    (value) => (blank(value) ? fallback : Number(value)),
    z.number().int().min(least).max(most),
  )
}

/** Blank is `null`. */
function optionalWhole(least: number, most: number) {
  return z.preprocess(
    (value) => (blank(value) ? null : Number(value)),
    z.number().int().min(least).max(most).nullable(),
  )
}

/** One of a list; blank is the default. */
function choice<T extends string>(choices: readonly T[], fallback: T) {
  return z.preprocess((value) => (blank(value) ? fallback : value), z.enum(choices))
}

const text = z.preprocess((value) => (blank(value) ? '' : String(value)), z.string())
const serial = text.transform((value) => value.trim()).refine(isSerial)

/** As the service has it: a name may be a number, or nothing but blanks. */
const groupName = z.union([z.string().min(1), z.number().transform(String)])

const namedDevice = z
  .object({ serial, base: z.preprocess((value) => (blank(value) ? undefined : value), serial.optional()) })
  .transform((device) => nameDevice(device.serial, device.base))

const listOf = <T extends z.ZodType>(item: T) => z.preprocess((value) => value ?? [], z.array(item))

const common = z.object({
  account: text,
  wait: optionalWhole(0, LONGEST_WAIT),
  repeat: whole(0, LONGEST_REPEAT, 0),
  select: choice(SELECTS, 'all'),
  devices: listOf(namedDevice),
  bases: listOf(serial),
  groups: listOf(groupName),
  property: z.preprocess((value) => (blank(value) ? 'devices' : value), z.string()),
  propertyType: choice(DEVICES_TYPES, 'msg'),
  exclude: listOf(serial),
  topic: z.string().optional(),
  output: choice(OUTPUTS, 'readings'),
  send: text,
  chunk: whole(1, 1_000_000, DEFAULT_CHUNK),
  // A writer of line protocol does not escape it.
  measurement: text.refine((value) => /^[^\s,\\]*$/.test(value)),
  time: choice(TIME_STYLES, 'utc'),
})

/** Of the nodes that send values: points of alerts have fields of their own. */
const valued = { fieldNames: choice(FIELD_NAMES, 'channel') }

function flag(fallback: boolean) {
  return z.preprocess((value) => (blank(value) ? fallback : value === true || value === 'true'), z.boolean())
}

/** Of the nodes that deliver what is new, each once. */
const news = common.extend({
  onlyNew: flag(true),
  advance: choice(ADVANCES, 'sent'),
  ackTimeout: whole(1, LONGEST_REPEAT, DEFAULT_ACK_TIMEOUT),
})

/** One schema a node. */
const schemas = {
  'envlog-current': common.extend({ ...valued, staleAfter: optionalWhole(0, 1e9), onlyNew: flag(false) }),
  'envlog-latest': news.extend({
    ...valued,
    backfill: flag(true),
    start: z.preprocess((value) => (blank(value) ? 'held' : value), z.union([z.string(), z.number()])),
  }),
  'envlog-range': common.extend({
    ...valued,
    from: text,
    fromType: choice(PERIOD_TYPES, 'rel'),
    to: text,
    toType: choice(PERIOD_TYPES, 'date'),
    number: optionalWhole(1, 1e9),
  }),
  'envlog-alerts': news.extend({ start: choice(STARTS, 'now') }),
}

type Parsed<T extends ActionType> = z.infer<(typeof schemas)[T]>
export type SettingsOf<T extends ActionType> = Omit<Parsed<T>, 'send' | 'topic'> & {
  send: Send
  topic: string
}
export type CommonSettings = z.infer<typeof common>

/**
 * @throws EnvlogError `setting-invalid` naming the property, `settings-newer`, `no-devices`, `repeat-needs-message`,
 * `output-not-offered`, `advance-needs-device`
 */
export function readActionSettings<T extends ActionType>(type: T, config: object): SettingsOf<T> {
  const settings = parse(schemas[type], ofToday(type, config)) as Parsed<T>
  const { select, devices, bases, groups } = settings
  const chosen = { list: [...devices, ...bases], base: bases, group: groups, all: undefined, msg: undefined }[
    select
  ]
  if (chosen?.length === 0) throw new EnvlogError('no-devices')
  if (settings.repeat > 0 && needsMessage(settings)) throw new EnvlogError('repeat-needs-message')
  const send = offeredSend(type, settings)
  if ('advance' in settings && settings.advance === 'acknowledged' && settings.onlyNew) {
    const carriesReceipts = send === 'device' && ACKNOWLEDGED_OUTPUTS.includes(settings.output)
    if (!carriesReceipts) throw new EnvlogError('advance-needs-device')
  }
  return {
    ...settings,
    send,
    measurement: settings.measurement || MEASUREMENTS[type],
    topic: settings.topic ?? TOPICS[type],
  } as SettingsOf<T>
}

/** The chosen send of the chosen output; the output's own where it has but one, or where none was chosen. */
function offeredSend(type: ActionType, { output, send }: { output: Output; send: string }): Send {
  const offered = OFFERED[type][output] ?? []
  const [first] = offered
  const found = offered.length === 1 || send === '' ? first : offered.find((one) => one === send)
  if (!found) throw new EnvlogError('output-not-offered', { output, send })
  return found
}

const inRange = (name: keyof typeof ACCOUNT_RANGES) =>
  whole(ACCOUNT_RANGES[name][0], ACCOUNT_RANGES[name][1], ACCOUNT_DEFAULTS[name])

function credential(name: keyof typeof CREDENTIAL_LENGTHS) {
  const [least, most] = CREDENTIAL_LENGTHS[name]
  return text.refine((value) => value.length >= least && value.length <= most)
}

const account = z.object({
  name: text,
  baseUrl: text.refine((value) => addressProblem(value) === undefined).transform(normaliseAddress),
  relaySuffix: z.preprocess(
    (value) => (blank(value) ? ACCOUNT_DEFAULTS.relaySuffix : value),
    z.string().refine(isRelaySuffix),
  ),
  timeout: inRange('timeout'),
  concurrency: inRange('concurrency'),
  retries: inRange('retries'),
  series1Models: text.transform((value) =>
    value
      .split(',')
      .map((beginning) => beginning.trim())
      .filter((beginning) => beginning !== ''),
  ),
  limits: z
    .preprocess((value) => (typeof value === 'object' && value ? JSON.stringify(value) : value), text)
    .refine(isLimits)
    .transform((value): LimitsTable => readLimits(value) ?? {}),
  store: text.transform((value) => value.trim()),
  sharedQuota: text
    .transform((value) => value.trim())
    .refine((value) => value === '' || ledgerProblem(value) === undefined),
  credentials: z.object({
    apiKey: credential('apiKey'),
    loginId: credential('loginId'),
    loginPass: credential('loginPass'),
    sharedQuotaPassword: text,
  }),
})

export type AccountProperties = z.infer<typeof account>

/** @throws EnvlogError `account-incomplete`, `settings-newer`, `setting-invalid` naming the property */
export function readAccountProperties(config: object, credentials: object): AccountProperties {
  const saved = ofToday('envlog-account', config)
  const given = { ...saved, credentials }
  const told: Record<string, unknown> = { ...saved, ...credentials }
  const missing = ['baseUrl', ...Object.keys(CREDENTIAL_LENGTHS)].find((property) => blank(told[property]))
  if (missing !== undefined) throw new EnvlogError('account-incomplete', { property: missing })
  return parse(account, given)
}

/**
 * What a newer package has saved may mean something else: rather nothing is asked than the wrong devices, or rows of
 * another shape sent to somebody's database.
 */
function ofToday(type: Parameters<typeof migrate>[0], config: object): object {
  const saved = { ...config }
  const version = versionOf(saved)
  if (version === undefined) throw new EnvlogError('setting-invalid', { property: 'version' })
  if (version > VERSION) throw new EnvlogError('settings-newer', { saved: version, known: VERSION })
  return migrate(type, saved, version)
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path ?? []
  throw new EnvlogError('setting-invalid', {
    property: path
      .map(String)
      .join('.')
      .replace(/^credentials\./, ''),
  })
}
