import * as z from 'zod/mini'
import { type ActionType, MAX_SECONDS, SELECTS, STARTS } from './action'
import {
  FIELD_NAMES,
  OFFERED,
  OUTPUT_TRAITS,
  type Output,
  type OutputSetting,
  PERS,
  placeholderPattern,
  SENDS,
  type Send,
} from './outputs'
import { FROM_TYPES, PERIOD_TYPES, VALUE_TYPES } from './period-types'
import type { Problem } from './problems'
import {
  checked,
  flag,
  MAX_TYPED_INPUT,
  nodeProperties,
  orDefault,
  orDefaultIfAbsent,
  type Settings,
  serial,
  serialOrBlank,
  text,
  textThat,
  usedIf,
  wholeNumber,
  wholeSeconds,
} from './schema'
import { readTime } from './time-input'

const MAX_COUNT = 1_000_000_000

export const namedDevice = z.pipe(
  z.object({ serial, base: serialOrBlank }),
  z.transform(({ serial, base }): { serial: string; base?: string } =>
    base ? { serial, base } : { serial },
  ),
)

/** The name of a group as the service sends it, which may be a number, or consist of blanks only. */
export const groupName = z.union([z.string().check(z.minLength(1)), z.pipe(z.number(), z.transform(String))])

/** A template of a topic. MQTT allows no wildcards in it, and nobody would notice a placeholder that is not replaced. */
const topicTemplate = z.string().check(
  checked((template) => {
    const [wildcard] = /[+#]/.exec(template) ?? []
    if (wildcard) return { problem: 'topic-wildcard', value: wildcard }
    const [unknown] = /\{[^{}/]*\}?|\}/.exec(template.replace(placeholderPattern(), '')) ?? []
    return unknown ? { problem: 'topic-placeholder', value: unknown } : undefined
  }),
)

/** The account, the devices, and how long requests wait for quota. */
export const chosenDevices = {
  account: orDefault(text, ''),
  select: orDefault(z.enum(SELECTS), 'all'),
  devices: orDefault(z.array(namedDevice), []),
  bases: orDefault(z.array(serial), []),
  groups: orDefault(z.array(groupName), []),
  property: orDefault(text, 'devices', MAX_TYPED_INPUT),
  propertyType: orDefault(z.enum(VALUE_TYPES), 'msg'),
  exclude: orDefault(z.array(serial), []),
  wait: orDefault(z.nullable(wholeSeconds(0, MAX_SECONDS)), null),
}

/** The bounds of a period. */
export const periodBounds = {
  from: orDefaultIfAbsent(text, '-24h', MAX_TYPED_INPUT),
  fromType: orDefault(z.enum(FROM_TYPES), 'rel'),
  to: orDefault(text, '', MAX_TYPED_INPUT),
  toType: orDefault(z.enum(PERIOD_TYPES), 'date'),
}

/** @param topic the last segment of the default topic */
const common = (
  type: ActionType,
  send: (typeof SENDS)[number] = 'device',
  topic = '{channel}',
  measurement = 'envlog',
) => ({
  ...nodeProperties,
  ...chosenDevices,
  repeat: orDefault(wholeSeconds(0, MAX_SECONDS), 0),
  output: orDefault(z.enum(Object.keys(OFFERED[type]) as Output[]), 'readings'),
  send: orDefault(z.enum(SENDS), send),
  // Nodes that write line protocol do not escape the measurement.
  measurement: orDefault(
    textThat((name) => /^[^\s,\\]*$/.test(name), 'measurement'),
    measurement,
  ),
  time: orDefault(z.enum(['utc', 'local']), 'utc'),
  topic: orDefaultIfAbsent(topicTemplate, `envlog/{base}/{serial}/${topic}`),
})

/** For nodes that send values. Points of alerts have fixed fields. */
const valued = { fieldNames: orDefault(z.enum(FIELD_NAMES), 'channel') }

/** For nodes that poll and deliver each record or alert once. */
const polling = {
  onlyNew: orDefault(flag, true),
  /** Whether records count as delivered when they are sent, or when their receipt arrives. */
  advance: orDefault(z.enum(['sent', 'acknowledged']), 'sent'),
  ackTimeout: orDefault(wholeSeconds(1, MAX_SECONDS), 600),
}

/** Whether a node without a cursor sends everything or nothing for a device, or records since a time in ms. */
export type Start = (typeof STARTS)[number] | { since: number }

/** `all`, `now`, or a time from 1970 to 9999, which is UTC if it has no offset. */
const startOrTime = z.transform((value, context): Start => {
  const word = STARTS.find((start) => start === value)
  if (word) return word
  const moment = readTime(String(value))
  const since = moment && ('instant' in moment ? moment.instant : moment.wallClock)
  if (since !== null && since > 0 && since < Date.UTC(9999)) return { since }
  context.issues.push({ code: 'custom', input: value, params: { problem: 'start' } })
  return 'now'
})

const isEmpty = (list: unknown) => !Array.isArray(list) || list.length === 0

/** Whether messages contain the devices or the period, so that the node cannot repeat by itself. */
export function needsMessage({ select, propertyType = 'msg', fromType, toType, period }: Settings): boolean {
  // Of reports, only a period of one's own has bounds.
  const hasBounds = period === undefined || period === 'custom'
  const isPeriodOfMessage = hasBounds && (fromType === 'msg' || (fromType !== 'calendar' && toType === 'msg'))
  return (select === 'msg' && propertyType === 'msg') || isPeriodOfMessage
}

/** Rules for combinations of settings, by the property at which the form shows the problem. */
const RULES: Readonly<Record<string, (all: Settings) => Problem | false>> = {
  devices: ({ select, devices, bases }) =>
    select === 'list' && isEmpty(devices) && isEmpty(bases) && { problem: 'no-devices' },
  bases: ({ select, bases }) => select === 'base' && isEmpty(bases) && { problem: 'no-bases' },
  groups: ({ select, groups }) => select === 'group' && isEmpty(groups) && { problem: 'no-groups' },
  repeat: (all) => Number(all.repeat) > 0 && needsMessage(all) && { problem: 'repeat-needs-message' },
  every: (all) => Boolean(all.every) && needsMessage(all) && { problem: 'every-needs-message' },
  send: ({ type, output, send }) => {
    const offered: readonly unknown[] = offeredSends(type, output)
    return offered.length > 1 && !offered.includes(send) && { problem: 'choice', choices: offered.join(', ') }
  },
  advance: ({ advance, send, output }) =>
    advance === 'acknowledged' &&
    !(send === 'device' && OUTPUT_TRAITS[output as Output]?.hasReceipt) && {
      problem: 'advance-needs-device',
    },
}

/** The values of `send` for an output of a node; none if it is unknown. */
const offeredSends = (type: unknown, output: unknown): readonly Send[] =>
  OFFERED[type as ActionType]?.[output as Output] ?? []

/** The rule that a property violates in combination with others. */
export function findConflict(property: string, settings: Settings): Problem | undefined {
  return RULES[property]?.(settings) || undefined
}

const hasSetting = (name: OutputSetting) => (all: Settings) =>
  OUTPUT_TRAITS[all.output as Output]?.settings.includes(name) ?? true
const isSelectedBy =
  (...selects: (typeof SELECTS)[number][]) =>
  ({ select }: Settings) =>
    select === undefined || (selects as unknown[]).includes(select)
const sendsOnlyNew = ({ onlyNew }: Settings) => onlyNew !== false

/** When a node uses a property about its devices. */
export const DEVICE_CONDITIONS = {
  devices: isSelectedBy('list'),
  bases: isSelectedBy('list', 'base'),
  groups: isSelectedBy('group'),
  property: isSelectedBy('msg'),
  propertyType: isSelectedBy('msg'),
}

/** When a node uses a setting. */
const CONDITIONS = {
  ...DEVICE_CONDITIONS,
  send: ({ type, output }: Settings) => offeredSends(type, output).length !== 1,
  measurement: hasSetting('measurement'),
  fieldNames: hasSetting('fieldNames'),
  per: hasSetting('per'),
  time: hasSetting('time'),
  number: hasSetting('number'),
  chunk: ({ send = 'chunk' }: Settings) => send === 'chunk',
  to: ({ fromType }: Settings) => fromType !== 'calendar',
  toType: ({ fromType }: Settings) => fromType !== 'calendar',
  start: sendsOnlyNew,
  backfill: sendsOnlyNew,
  advance: sendsOnlyNew,
  ackTimeout: (all: Settings) => sendsOnlyNew(all) && all.advance !== 'sent',
}

/** Checks the combinations of the settings of a type of node. */
export const withRules = <Shape extends z.core.$ZodShape>(type: string, shape: Shape) =>
  z.object(shape).check(({ value, issues }) => {
    for (const property of Object.keys(RULES).filter((name) => name in shape)) {
      const params = findConflict(property, { ...value, type })
      if (params) issues.push({ code: 'custom', input: value, path: [property], params })
    }
  })

function node<Shape extends z.core.$ZodShape>(type: ActionType, shape: Shape) {
  const schema = withRules(type, shape)
  return usedIf(schema, Object.fromEntries(Object.entries(CONDITIONS).filter(([name]) => name in shape)))
}

/** The saved properties of the action nodes. */
export const actionSchemas = {
  'envlog-current': node('envlog-current', {
    ...common('envlog-current', 'all'),
    ...valued,
    onlyNew: orDefault(flag, false),
    staleAfter: orDefault(z.nullable(wholeSeconds(0, MAX_COUNT)), null),
  }),
  'envlog-latest': node('envlog-latest', {
    ...common('envlog-latest'),
    ...valued,
    ...polling,
    backfill: orDefault(flag, true),
    start: orDefault(startOrTime, 'all'),
  }),
  'envlog-range': node('envlog-range', {
    ...common('envlog-range'),
    ...valued,
    ...periodBounds,
    number: orDefault(z.nullable(wholeNumber(1, MAX_COUNT)), null),
    per: orDefault(z.enum(PERS), 'period'),
    chunk: orDefault(wholeNumber(1, 1_000_000), 1000),
  }),
  'envlog-alerts': node('envlog-alerts', {
    ...common('envlog-alerts', 'device', 'alert', 'envlog_alerts'),
    ...polling,
    start: orDefault(z.enum(STARTS), 'now'),
  }),
}

/** Settings of one type of action node. */
export type SettingsOf<T extends ActionType> = {
  [Type in ActionType]: z.output<(typeof actionSchemas)[Type]>
}[T]
