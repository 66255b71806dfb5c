/** Runs the cases: floor, our nodes and the hand-built flow by turns, call by call. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Case } from './cases'
import { type Spread, spread } from './figures'
import { type Asked, accountOf, addressOf, bodyOf, flowOf, type System, systems, triggerOf } from './flows'
import { type BenchedNodeRed, startNodeRed } from './node-red'
import type { Measured } from './probe'
import type { OpenService, ServiceName } from './services'

export interface Result {
  one: Case
  /** Messages of one call, of our nodes and of the hand-built flow. */
  messages: number
  /** One of each system a pair, in order. */
  runs: Record<System, Measured[]>
  /** MB resident before the first call. */
  idle: Record<System, number>
}

/** How much more `of` took than `to`, pair by pair. */
export function ratio({ runs }: Result, key: 'wall' | 'processor', of: System, to: System): Spread {
  return spread(runs[of].map((one, run) => one[key] / (runs[to][run]?.[key] ?? Number.NaN)))
}

export function stops({ runs }: Result, system: System): Spread {
  return spread(runs[system].map(({ stop }) => stop))
}

/** MB resident over idle, where the system tells; of a short answer it would say nothing. */
export function memory({ one, runs, idle }: Result, system: System): Spread | null {
  if (!one.isHeavy) return null
  const peaks = runs[system].flatMap(({ peak }) => (peak === null ? [] : [peak - idle[system]]))
  return peaks.length === 0 ? null : spread(peaks)
}

export interface Settings {
  /** Pairs of a long case at least; short ones have more. */
  runs: number
  /** Folder for a processor profile of our Node-RED for each case. */
  profiles: string | undefined
  done(result: Result): void
}

const WARM_UP = { heavy: 2, light: 40 }
const MORE_LIGHT = 8
/** A few cases send 262,140 messages: what they tell does not change with more runs. */
const MANY_MESSAGES = 200_000

export async function measureAll(cases: readonly Case[], settings: Settings): Promise<void> {
  const service = fork(join(__dirname, 'service.ts'), { execArgv: process.execArgv })
  try {
    for (const group of groupsOf(cases)) await measureGroup(group, service, settings)
  } finally {
    service.kill()
  }
}

function groupsOf(cases: readonly Case[]): Case[][] {
  const groups = new Map<string, Case[]>()
  for (const one of cases) groups.set(one.group, [...(groups.get(one.group) ?? []), one])
  return [...groups.values()]
}

async function measureGroup(
  group: readonly Case[],
  service: ChildProcess,
  settings: Settings,
): Promise<void> {
  const asked: Asked[] = []
  for (const one of group) asked.push({ one, service: await open(service, one.service) })
  const credentials = Object.fromEntries(asked.map((one) => [accountOf(one), one.service.login]))
  const nodeReds = await each((system) =>
    startNodeRed(flowOf(system, asked), system === 'ours' ? credentials : {}),
  )
  try {
    for (const one of asked) settings.done(await measureCase(one, nodeReds, settings))
  } finally {
    await each((system) => nodeReds[system].stop())
  }
}

async function each<T>(work: (system: System) => Promise<T>): Promise<Record<System, T>> {
  const entries = await Promise.all(systems.map(async (system) => [system, await work(system)] as const))
  return Object.fromEntries(entries) as Record<System, T>
}

async function open(service: ChildProcess, name: ServiceName): Promise<OpenService> {
  service.send(name)
  const [told] = (await once(service, 'message')) as [OpenService | { error: string }]
  if ('error' in told) throw new Error(told.error)
  return told
}

async function measureCase(
  asked: Asked,
  nodeReds: Record<System, BenchedNodeRed>,
  { runs: least, profiles }: Settings,
): Promise<Result> {
  const { one } = asked
  const messages = one.messages(await answerTo(asked))
  const call = (system: System, profile?: string) =>
    nodeReds[system].call({
      node: triggerOf(one),
      messages: system === 'floor' ? 1 : messages,
      collect: one.isHeavy,
      ...(profile !== undefined && { profile }),
    })
  const idle = await each((system) => nodeReds[system].idle())
  const result: Result = { one, messages, idle, runs: { floor: [], ours: [], hand: [] } }
  const warmUp = messages >= MANY_MESSAGES ? 1 : one.isHeavy ? WARM_UP.heavy : WARM_UP.light
  const pairs = one.isHeavy ? least : least * MORE_LIGHT
  for (let run = -warmUp; run < pairs; run++) {
    for (const system of turn(run + warmUp)) {
      const measured = await call(system)
      if (run >= 0) result.runs[system].push(measured)
    }
  }
  if (profiles !== undefined) await call('ours', join(profiles, `${one.id}.cpuprofile`))
  return result
}

/** Who goes first changes, so that none always finds what the same other has left behind. */
function turn(run: number): System[] {
  const first = run % systems.length
  return [...systems.slice(first), ...systems.slice(0, first)]
}

/** Asked beforehand: the simulator has made the answer then, and it tells how many messages there will be. */
async function answerTo(asked: Asked): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  const answer = await fetch(addressOf(asked), { method: 'POST', headers, body: bodyOf(asked) })
  if (!answer.ok) throw new Error(`${asked.one.name}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}
