/**
 * Validates options at run time, because they may come from the control address, the command line or plain JavaScript.
 * Every name and value is checked, because a test with a misspelt option would otherwise pass without testing
 * unchecked.
 */
import { endpointNames } from './endpoints'
import { type Fault, faultKinds } from './faults/fault-plan'
import {
  type DeviceDefinition,
  type DeviceEvent,
  deviceKinds,
  type EventDefinition,
  eventKinds,
} from './fleet/definition'
import type { EndpointLimits } from './limits'
import { OptionError } from './option-error'
import type { RuntimeOptions } from './options'
import { blanks, choices, type Variants } from './variants'

type Check = (value: unknown, name: string) => void

const fail = (name: string, expected: string): never => {
  throw new OptionError(`${name}: expected ${expected}`)
}

const oneOf =
  (list: readonly unknown[]): Check =>
  (value, name) => {
    if (!list.includes(value))
      fail(name, `one of ${list.map((allowed) => JSON.stringify(allowed)).join(', ')}`)
  }

const atLeast =
  (least: number, most = Number.POSITIVE_INFINITY): Check =>
  (value, name) => {
    const isInRange = typeof value === 'number' && value >= least && value <= most
    if (!isInRange)
      fail(name, Number.isFinite(most) ? `a number from ${least} to ${most}` : `a number from ${least}`)
  }

const integer =
  (least: number, most = Number.POSITIVE_INFINITY): Check =>
  (value, name) => {
    atLeast(least, most)(value, name)
    if (!Number.isInteger(value)) fail(name, 'a whole number')
  }

const text: Check = (value, name) => {
  if (typeof value !== 'string') fail(name, 'text')
}

const listOf =
  (check: Check): Check =>
  (value, name) => {
    if (!Array.isArray(value)) return fail(name, 'a list')
    value.forEach((item, i) => {
      check(item, `${name}[${i}]`)
    })
  }

const either =
  (constant: unknown, check: Check): Check =>
  (value, name) => {
    if (value !== constant) check(value, name)
  }

const object: Check = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(name, 'an object')
}

/** Accepts an object that has only these fields, and all required ones. */
const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, name) => {
    object(value, name)
    for (const [key, field] of Object.entries(value as object)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined
      if (!check)
        return fail(`${name}.${key}`.replace(/^\./, ''), `one of the names ${Object.keys(checks).join(', ')}`)
      if (field !== undefined) check(field, `${name}.${key}`.replace(/^\./, ''))
    }
    for (const key of required) {
      if ((value as Record<string, unknown>)[key] === undefined) fail(`${name}.${key}`, 'a value')
    }
  }

const variantCheck = (rule: (typeof choices)[keyof Variants]): Check => {
  if (rule === 'text') return either(null, text)
  if (rule === 'count') return either(null, atLeast(0))
  return rule === 'blanks' ? listOf(oneOf(blanks)) : oneOf(rule)
}

const variantChecks = Object.fromEntries(
  Object.entries(choices).map(([name, rule]) => [name, variantCheck(rule)]),
)

const limitChecks: Record<keyof EndpointLimits, Check> = {
  limit: atLeast(0),
  window: atLeast(0.001),
  records: atLeast(0),
  recordsWindow: atLeast(0.001),
}

const faultChecks: Record<keyof Fault, Check> = {
  kind: oneOf(faultKinds),
  endpoints: listOf(oneOf(endpointNames)),
  serials: listOf(text),
  probability: atLeast(0, 1),
  times: integer(0),
  skip: integer(0),
  delay: atLeast(0),
  status: integer(200, 599),
  body: text,
  share: atLeast(0, 1),
  pause: atLeast(0),
  piece: integer(1),
  location: text,
  contentType: text,
  headers: object,
  counts: oneOf([true, false]),
}

const limitsTable = fields(Object.fromEntries(endpointNames.map((name) => [name, fields(limitChecks)])))

const unchecked: Check = () => {}

const eventChecks: Record<keyof EventDefinition, Check> = {
  kind: oneOf(eventKinds),
  from: atLeast(0),
  until: atLeast(0),
  channel: integer(1, 6),
  code: integer(1, 5),
}

/** Values that a test may make invalid on purpose, such as battery codes and offsets, are not checked. */
const deviceChecks: Record<keyof DeviceDefinition, Check> = {
  kind: oneOf(deviceKinds),
  serial: text,
  model: text,
  name: text,
  num: unchecked,
  base: fields(
    {
      serial: text,
      model: text,
      name: text,
      sends: oneOf(['https', 'ftp']),
      relayEndpoints: unchecked,
      zone: object,
    },
    ['serial'],
  ),
  group: object,
  battery: unchecked,
  rssi: unchecked,
  zone: object,
  channels: listOf(object),
  capacity: integer(0),
  language: oneOf(['en', 'ja']),
  records: unchecked,
  alerts: unchecked,
  current: unchecked,
  transmission: atLeast(1),
  events: listOf(fields(eventChecks, ['kind', 'from'])),
}

const optionChecks: Record<keyof RuntimeOptions, Check> = {
  relaySuffix: text,
  limits: either('off', limitsTable),
  windows: oneOf(['fixed', 'sliding']),
  windowPhase: either('first', atLeast(0)),
  countRefused: oneOf([true, false]),
  budgetRule: oneOf(['exceeding', 'empty']),
  limitsClock: oneOf(['simulated', 'real']),
  variants: fields(variantChecks),
  faults: listOf(fields(faultChecks, ['kind'])),
  fleet: listOf(fields(deviceChecks, ['serial'])),
}

const runtimeOptionsCheck = fields({ ...optionChecks })

/** Options that can be set only at the start. */
const startChecks: Record<string, Check> = {
  port: integer(0, 65_535),
  devices: integer(0, 5000),
  story: oneOf([true, false]),
  speed: atLeast(0),
  startTime: atLeast(0),
  logSize: integer(0),
}

const { from: _, until: __, ...checksWithoutTimes } = eventChecks

const deviceEventCheck = fields({ ...checksWithoutTimes, serial: text, base: text }, ['serial', 'kind'])

/** @throws OptionError */
export function checkDeviceEvent(event: unknown): asserts event is DeviceEvent {
  deviceEventCheck(event, '')
}

/** @throws OptionError that contains the name of the first invalid option */
export function checkRuntimeOptions(options: unknown): asserts options is RuntimeOptions {
  runtimeOptionsCheck(options, '')
}

/** @throws OptionError that contains the name of the first invalid option */
export function checkStartOptions(options: object): void {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries) startChecks[name]?.(value, name)
  const runtime = entries.filter(([name]) => Object.hasOwn(optionChecks, name))
  runtimeOptionsCheck(Object.fromEntries(runtime), '')
}
