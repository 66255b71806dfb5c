/**
 * Validates options at run time, because they may come from the control address, the command line or plain JavaScript.
 * Unknown names are refused too, because a test with a misspelt option would otherwise pass without testing anything.
 */

import * as z from 'zod/mini'
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
import type { RuntimeOptions, SimulatorOptions } from './options'
import { blanks, choices, type Variants } from './variants'

type Fields<T> = { [K in keyof Required<T>]: z.ZodMiniType }

const atLeast = (least: number, most = Number.MAX_SAFE_INTEGER) => z.number().check(z.gte(least), z.lte(most))
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.int().check(z.gte(least), z.lte(most))
const text = z.string()
const object = z.looseObject({})
const anything = z.any()

/** An object that has no other fields. Those that are not required may be absent or `undefined`. */
const fields = <T>(all: Fields<T>, ...required: (keyof T & string)[]) => {
  const mask = Object.fromEntries(required.map((name) => [name, true as const]))
  return z.required(z.partial(z.strictObject(all)), mask as object)
}

const limits = fields<EndpointLimits>({
  limit: atLeast(0),
  window: atLeast(0.001),
  records: atLeast(0),
  recordsWindow: atLeast(0.001),
})

const variants = fields<Variants>({
  ...(Object.fromEntries(
    Object.entries(choices).map(([name, values]) => [name, z.literal([...values])]),
  ) as unknown as Fields<typeof choices>),
  blank: z.array(z.literal(blanks)),
  errorText: z.nullable(text),
})

const fault = fields<Fault>(
  {
    kind: z.literal(faultKinds),
    endpoints: z.array(z.literal(endpointNames)),
    serials: z.array(text),
    probability: atLeast(0, 1),
    times: whole(0),
    delay: atLeast(0),
    status: whole(200, 599),
    body: text,
    headers: object,
    counts: z.boolean(),
  },
  'kind',
)

const eventKind = {
  kind: z.literal(eventKinds),
  channel: whole(1, 6),
  minutes: atLeast(0.1),
  code: whole(1, 5),
}
const event = fields<EventDefinition>({ ...eventKind, from: atLeast(0), until: atLeast(0) }, 'kind', 'from')

/** Values that a test may make invalid on purpose, such as battery codes and offsets, are not checked. */
const device = fields<DeviceDefinition>(
  {
    kind: z.literal(deviceKinds),
    serial: text,
    model: text,
    name: text,
    num: anything,
    base: fields<NonNullable<DeviceDefinition['base']>>(
      {
        serial: text,
        model: text,
        name: text,
        sends: z.literal(['https', 'ftp']),
        relayEndpoints: anything,
        zone: object,
      },
      'serial',
    ),
    group: object,
    battery: anything,
    rssi: anything,
    zone: object,
    channels: z.array(object),
    capacity: whole(0),
    language: z.literal(['en', 'ja']),
    records: anything,
    alerts: anything,
    current: anything,
    transmission: atLeast(1),
    events: z.array(event),
  },
  'serial',
)

const limitsTable = z.partialRecord(z.literal(endpointNames), limits)
const runtimeOptions: Fields<RuntimeOptions> = {
  relaySuffix: text,
  limits: z.pipe(
    z.transform((value) => (value === 'off' ? {} : value)),
    limitsTable,
  ),
  windows: z.literal(['fixed', 'sliding']),
  limitsClock: z.literal(['simulated', 'real']),
  variants,
  faults: z.array(fault),
  fleet: z.array(device),
}

/** Options that can be set only at the start. */
const startOptions: Fields<Omit<SimulatorOptions, keyof RuntimeOptions>> = {
  port: whole(0, 65_535),
  seed: anything,
  devices: whole(0, 5000),
  replay: anything,
  story: z.boolean(),
  clock: anything,
  speed: atLeast(0),
  startTime: atLeast(0),
  account: anything,
  logSize: whole(0),
  onRequest: anything,
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown name'
  if (issue.code === 'invalid_value')
    return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  if (issue.code === 'too_small') return `expected at least ${issue.minimum}`
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`
  if (issue.code !== 'invalid_type') return 'not valid'
  // Zod's names for a required field and for an object with names of endpoints say nothing to a user.
  const words: Partial<Record<string, string>> = { nonoptional: 'a value', record: 'object' }
  return `expected ${words[issue.expected] ?? issue.expected}`
}

/** @throws OptionError that contains the path of the first invalid value */
function check(schema: z.ZodMiniType, value: unknown): void {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  if (!issue) return
  const path = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])]
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  throw new OptionError(`${name.replace(/^\./, '')}: ${describe(issue)}`)
}

const runtimeSchema = fields<RuntimeOptions>(runtimeOptions)
const startSchema = fields<SimulatorOptions>({ ...runtimeOptions, ...startOptions })
const eventSchema = fields<DeviceEvent>({ ...eventKind, serial: text, base: text }, 'serial', 'kind')

/** @throws OptionError */
export function checkDeviceEvent(value: unknown): asserts value is DeviceEvent {
  check(eventSchema, value)
}

/** @throws OptionError */
export function checkRuntimeOptions(options: unknown): asserts options is RuntimeOptions {
  check(runtimeSchema, options)
}

/** @throws OptionError */
export function checkStartOptions(options: unknown): asserts options is SimulatorOptions {
  check(startSchema, options)
}
