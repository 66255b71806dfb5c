/**
 * Validates options at run time, because they may come from the control address, the command line or plain JavaScript.
 * Every name and value is checked: a test whose misspelt option is ignored would pass without testing anything.
 */
import { endpointNames } from './endpoints'
import { type Fault, faultKinds } from './faults/faults'
import {
  type DeviceDefinition,
  deviceKinds,
  type EventDefinition,
  eventKinds,
  type Happening,
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
    if (!list.includes(value)) fail(name, `one of ${list.map((each) => JSON.stringify(each)).join(', ')}`)
  }

const atLeast =
  (least: number, most = Number.POSITIVE_INFINITY): Check =>
  (value, name) => {
    const fits = typeof value === 'number' && value >= least && value <= most
    if (!fits)
      fail(name, Number.isFinite(most) ? `a number from ${least} to ${most}` : `a number from ${least}`)
  }

const whole =
  (least: number, most = Number.POSITIVE_INFINITY): Check =>
  (value, name) => {
    atLeast(least, most)(value, name)
    if (!Number.isInteger(value)) fail(name, 'a whole number')
  }

const aText: Check = (value, name) => {
  if (typeof value !== 'string') fail(name, 'a text')
}

const listOf =
  (check: Check): Check =>
  (value, name) => {
    if (!Array.isArray(value)) return fail(name, 'a list')
    value.forEach((each, i) => {
      check(each, `${name}[${i}]`)
    })
  }

const either =
  (constant: unknown, check: Check): Check =>
  (value, name) => {
    if (value !== constant) check(value, name)
  }

const anObject: Check = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(name, 'an object')
}

/** An object with only these keys. */
const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, name) => {
    anObject(value, name)
    for (const [key, each] of Object.entries(value as object)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined
      if (!check)
        return fail(`${name}.${key}`.replace(/^\./, ''), `one of the names ${Object.keys(checks).join(', ')}`)
      if (each !== undefined) check(each, `${name}.${key}`.replace(/^\./, ''))
    }
    for (const key of required) {
      if ((value as Record<string, unknown>)[key] === undefined) fail(`${name}.${key}`, 'a value')
    }
  }

const variantCheck = (rule: (typeof choices)[keyof Variants]): Check => {
  if (rule === 'text') return either(null, aText)
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
  serials: listOf(aText),
  probability: atLeast(0, 1),
  times: whole(0),
  skip: whole(0),
  delay: atLeast(0),
  status: whole(200, 599),
  body: aText,
  share: atLeast(0, 1),
  pause: atLeast(0),
  piece: whole(1),
  location: aText,
  contentType: aText,
  headers: anObject,
  counts: oneOf([true, false]),
}

const limitsTable = fields(Object.fromEntries(endpointNames.map((name) => [name, fields(limitChecks)])))

const anything: Check = () => {}

const eventChecks: Record<keyof EventDefinition, Check> = {
  kind: oneOf(eventKinds),
  from: atLeast(0),
  until: atLeast(0),
  channel: whole(1, 6),
  code: whole(1, 5),
}

/** Only field names are checked: a fleet may contain odd values on purpose. */
const deviceChecks: Record<keyof DeviceDefinition, Check> = {
  kind: oneOf(deviceKinds),
  serial: aText,
  model: aText,
  name: aText,
  num: anything,
  base: fields(
    {
      serial: aText,
      model: aText,
      name: aText,
      sends: oneOf(['https', 'ftp']),
      relayEndpoints: anything,
      zone: anObject,
    },
    ['serial'],
  ),
  group: anObject,
  battery: anything,
  rssi: anything,
  zone: anObject,
  channels: listOf(anObject),
  capacity: whole(0),
  language: oneOf(['en', 'ja']),
  records: anything,
  alerts: anything,
  current: anything,
  transmission: atLeast(1),
  events: listOf(fields(eventChecks, ['kind', 'from'])),
}

const optionChecks: Record<keyof RuntimeOptions, Check> = {
  relaySuffix: aText,
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

const checkRuntime = fields({ ...optionChecks })

/** Options that can be set only at the start. */
const startChecks: Record<string, Check> = {
  port: whole(0, 65_535),
  devices: whole(0, 5000),
  story: oneOf([true, false]),
  speed: atLeast(0),
  startTime: atLeast(0),
  logSize: whole(0),
}

const { from: _, until: __, ...happeningChecks } = eventChecks

const checkOfHappening = fields({ ...happeningChecks, serial: aText, base: aText }, ['serial', 'kind'])

/** @throws OptionError */
export function checkHappening(happening: unknown): asserts happening is Happening {
  checkOfHappening(happening, '')
}

/** @throws OptionError that names the first invalid option */
export function checkRuntimeOptions(options: unknown): asserts options is RuntimeOptions {
  checkRuntime(options, '')
}

export function checkStartOptions(options: object): void {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries) startChecks[name]?.(value, name)
  const runtime = entries.filter(([name]) => Object.hasOwn(optionChecks, name))
  checkRuntime(Object.fromEntries(runtime), '')
}
