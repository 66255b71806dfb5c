/** The table of command-line flags of envlog-simulator, and their conversion to options. */
import { parseArgs } from 'node:util'
import { faultsFrom, jsonFileFrom, limitsFrom, numberFrom, timeFrom, variantsFrom } from './cli-values'
import { faultKinds } from './faults/fault-plan'
import { checkStartOptions } from './option-checks'
import { OptionError } from './option-error'
import type { SimulatorOptions } from './options'
import { described } from './variants'

const defaultPort = 8745

interface Flag {
  type: 'string' | 'boolean'
  multiple?: boolean
  short?: string
  /** the placeholder for the value in the help */
  value?: string
  help: string
  /** the option that the flag sets; `read` converts its value */
  option?: keyof SimulatorOptions
  read?: ((value: string, flag: string) => unknown) | ((value: readonly string[], flag: string) => unknown)
}

const flags: Readonly<Record<string, Flag>> = {
  port: {
    type: 'string',
    short: 'p',
    value: 'NUMBER',
    help: `port on 127.0.0.1; 0 selects a free port (default ${defaultPort})`,
    option: 'port',
    read: numberFrom,
  },
  seed: {
    type: 'string',
    value: 'TEXT',
    help: 'seed of readings, credentials and random choices (default envlog)',
    option: 'seed',
  },
  devices: {
    type: 'string',
    value: 'NUMBER',
    help: 'size of the fleet, 0 to 5000 (default: the demo fleet of 14)',
    option: 'devices',
    read: numberFrom,
  },
  fleet: {
    type: 'string',
    value: 'FILE',
    help: 'JSON file with your own devices',
    option: 'fleet',
    read: jsonFileFrom,
  },
  replay: {
    type: 'string',
    value: 'FILE',
    help: 'serves a report that envlog-check --save wrote',
    option: 'replay',
    read: jsonFileFrom,
  },
  story: {
    type: 'boolean',
    help: 'the demo fleet sends every ten seconds, with events in the first three minutes',
    option: 'story',
  },
  speed: {
    type: 'string',
    value: 'NUMBER',
    help: 'speed relative to real time; 0 stops the clock (default 1)',
    option: 'speed',
    read: numberFrom,
  },
  start: {
    type: 'string',
    value: 'TIME',
    help: 'simulated time at the start: ISO 8601, or ms since 1970 (default now)',
    option: 'startTime',
    read: timeFrom,
  },
  'relay-suffix': {
    type: 'string',
    value: 'TEXT',
    help: 'suffix of the relay paths (default relay)',
    option: 'relaySuffix',
  },
  variant: {
    type: 'string',
    multiple: true,
    value: 'NAME[=VALUE]',
    help: 'a difference from the description; can be repeated',
    option: 'variants',
    read: variantsFrom,
  },
  fault: {
    type: 'string',
    multiple: true,
    value: 'KIND[,NAME=VALUE…]',
    help: 'a fault; can be repeated; + separates list items',
    option: 'faults',
    read: faultsFrom,
  },
  limit: {
    type: 'string',
    multiple: true,
    value: 'ENDPOINT.NAME=NUMBER',
    help: 'limit, window, records or recordsWindow of an endpoint; can be repeated',
    option: 'limits',
    read: limitsFrom,
  },
  'limits-off': {
    type: 'boolean',
    help: 'switches limits off',
    option: 'limits',
    read: () => 'off',
  },
  'limits-clock': {
    type: 'string',
    value: 'simulated|real',
    help: 'the clock for the windows of limits (default simulated)',
    option: 'limitsClock',
  },
  windows: {
    type: 'string',
    value: 'fixed|sliding',
    help: 'kind of windows (default fixed)',
    option: 'windows',
  },
  quiet: { type: 'boolean', short: 'q', help: 'prints only the address' },
  verbose: { type: 'boolean', short: 'v', help: 'prints each request' },
  help: { type: 'boolean', short: 'h', help: 'prints this help' },
}

/** Pairs of flags that cannot be combined. */
const exclusive = [
  ['fleet', 'devices'],
  ['fleet', 'replay'],
  ['devices', 'replay'],
  ['variant', 'replay'],
  ['story', 'fleet'],
  ['story', 'devices'],
  ['story', 'replay'],
  ['limit', 'limits-off'],
  ['quiet', 'verbose'],
] as const

export interface CommandLine {
  options: SimulatorOptions
  quiet: boolean
  verbose: boolean
  help: boolean
}

/** @throws Error with a message for the user */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false })
  for (const [first, second] of exclusive) {
    if (values[first] !== undefined && values[second] !== undefined) {
      throw new OptionError(`--${first} and --${second} cannot be combined`)
    }
  }
  const options: Record<string, unknown> = { port: defaultPort }
  for (const [name, value] of Object.entries(values)) {
    const { option, read } = flags[name] as Flag
    if (option) options[option] = read ? read(value as string & readonly string[], name) : value
  }
  checkStartOptions(options)
  return {
    options,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    help: values.help === true,
  }
}

export function helpText(): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const left = `${flag.short ? `-${flag.short}, ` : '    '}--${name}${flag.value ? ` ${flag.value}` : ''}`
    return `  ${left.padEnd(34)} ${flag.help}`
  })
  return `Usage: envlog-simulator [flags]

The cloud service of environmental data loggers, simulated on 127.0.0.1.

${rows.join('\n')}

Variants: ${Object.keys(described).join(', ')}
Faults: ${faultKinds.join(', ')}

Examples:
  envlog-simulator --speed 60 --variant numbers=text --variant inclusiveBounds
  envlog-simulator --fault status,status=503,endpoints=data+alert,probability=0.2
  envlog-simulator --limit alert.limit=3 --limit alert.window=60
`
}
