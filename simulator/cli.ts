#!/usr/bin/env node
/** The command envlog-simulator, which runs the simulated service. */
import { type CommandLine, helpText, readCommandLine } from './cli-flags'
import { type LogEntry, type Simulator, startSimulator } from './index'
import { OptionError } from './option-error'

function readArguments(): CommandLine | undefined {
  try {
    return readCommandLine(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`envlog-simulator: ${toMessage(error)}\nSee envlog-simulator --help\n`)
    process.exitCode = 2
    return undefined
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function startMessage(simulator: Simulator): string {
  const { url, account, options } = simulator
  return `Simulated service on ${url}

  Base address           ${url}
  Relay suffix           ${options.relaySuffix}
  API key                ${account.apiKey}
  Login ID               ${account.loginId}
  Password               ${account.loginPass}
  Devices                ${simulator.truth.devices().length}
  Simulated time         ${new Date(simulator.clock.now()).toISOString()}

Control: ${url}/simulator/state (also options, log, counts, spend, events, reset)
  curl ${url}/simulator/counts
Stop with Ctrl-C.
`
}

function requestLine(entry: LogEntry): string {
  const { time, endpoint, path, status, remaining, params, faults } = entry
  const parts = [
    new Date(time).toISOString(),
    status || '---',
    endpoint ?? path,
    JSON.stringify(params),
    `remaining ${remaining ?? '-'}`,
    ...(faults.length > 0 ? [`faults ${faults.join(' ')}`] : []),
  ]
  return `${parts.join('  ')}\n`
}

async function main(): Promise<void> {
  const line = readArguments()
  if (!line) return
  if (line.help) {
    process.stdout.write(helpText())
    return
  }
  const listener = line.verbose
    ? { onRequest: (entry: LogEntry) => process.stdout.write(requestLine(entry)) }
    : {}
  try {
    const simulator = await startSimulator({ ...line.options, ...listener })
    process.stdout.write(line.quiet ? `${simulator.url}\n` : startMessage(simulator))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.close())
  } catch (error) {
    process.stderr.write(`envlog-simulator: ${toMessage(error)}\n`)
    process.exitCode = error instanceof OptionError ? 2 : 1
  }
}

void main()
