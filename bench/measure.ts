/** Runs the cases: alternates calls of the floors, our nodes and the hand-built flow. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Case, CaseAnswer } from './cases'
import { type Spread, spread } from './figures'
import {
  accountIdOf,
  addressOf,
  type BenchTarget,
  benchFlow,
  requestBodyOf,
  type System,
  systems,
  triggerOf,
} from './flows'
import { type BenchedNodeRed, startBenchNodeRed } from './node-red'
import type { Measurement } from './probe'
import type { ServiceCommand } from './service'
import type { OpenService, ServiceName } from './services'

export interface Result {
  one: Case
  /** Messages of one call, of our nodes and of the hand-built flow. */
  messages: number
  /** One measurement of each system per pair, in order. */
  runs: Record<System, Measurement[]>
  /** MB resident before the first call. */
  idle: Record<System, number>
}

/** Ratio of `of` to `to`, pair by pair. */
export function ratio({ runs }: Result, key: 'wall' | 'processor', of: System, to: System): Spread {
  return spread(runs[of].map((one, run) => one[key] / (runs[to][run]?.[key] ?? Number.NaN)))
}

export function stops({ runs }: Result, system: System): Spread {
  return spread(runs[system].map(({ stop }) => stop))
}

/** Peak memory over idle, in MB; `null` for short cases, and where the operating system does not report it. */
export function memory({ one, runs, idle }: Result, system: System): Spread | null {
  if (!one.isHeavy) return null
  const peaks = runs[system].flatMap(({ peak }) => (peak === null ? [] : [peak - idle[system]]))
  return peaks.length === 0 ? null : spread(peaks)
}

export interface MeasureOptions {
  /** Pairs of a long case at least; short ones have more. */
  runs: number
  /** Folder for a processor profile of our Node-RED for each case. */
  profiles: string | undefined
  done(result: Result): void
}

const WARM_UP = { heavy: 2, light: 40 }
const MORE_LIGHT = 8
/** Cases with more messages than this need only one warm-up run. */
const MANY_MESSAGES = 200_000

export async function measureAll(cases: readonly Case[], settings: MeasureOptions): Promise<void> {
  const names = [...new Set(cases.map(({ service }) => service))]
  await withServices(names, async (opened) => {
    const targets = cases.map((one) => ({ one, service: opened[names.indexOf(one.service)] as OpenService }))
    for (const group of groupsOf(targets)) await measureGroup(group, settings)
  })
}

/** Runs the work with services of its own, and a function that advances their time by so many ms. */
export async function withServices<T>(
  names: readonly ServiceName[],
  work: (services: OpenService[], advance: (ms: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const child = fork(join(__dirname, 'service.ts'), { execArgv: process.execArgv })
  try {
    const opened: OpenService[] = []
    for (const name of names) opened.push(await open(child, name))
    return await work(opened, async (ms) => {
      child.send({ advance: ms } satisfies ServiceCommand)
      await once(child, 'message')
    })
  } finally {
    child.kill()
  }
}

function groupsOf(targets: readonly BenchTarget[]): BenchTarget[][] {
  const groups = new Map<string, BenchTarget[]>()
  for (const target of targets) {
    const { group } = target.one
    groups.set(group, [...(groups.get(group) ?? []), target])
  }
  return [...groups.values()]
}

async function measureGroup(targets: readonly BenchTarget[], settings: MeasureOptions): Promise<void> {
  const credentials = Object.fromEntries(targets.map((one) => [accountIdOf(one), one.service.login]))
  const nodeReds = await each((system) =>
    startBenchNodeRed(benchFlow(system, targets), system === 'ours' ? credentials : {}),
  )
  try {
    for (const one of targets) settings.done(await measureCase(one, nodeReds, settings))
  } finally {
    await each((system) => nodeReds[system].stop())
  }
}

async function each<T>(work: (system: System) => Promise<T>): Promise<Record<System, T>> {
  const entries = await Promise.all(systems.map(async (system) => [system, await work(system)] as const))
  return Object.fromEntries(entries) as Record<System, T>
}

async function open(service: ChildProcess, name: ServiceName): Promise<OpenService> {
  service.send({ open: name } satisfies ServiceCommand)
  const [answer] = (await once(service, 'message')) as [OpenService | { error: string }]
  if ('error' in answer) throw new Error(answer.error)
  return answer
}

async function measureCase(
  target: BenchTarget,
  nodeReds: Record<System, BenchedNodeRed>,
  { runs: least, profiles }: MeasureOptions,
): Promise<Result> {
  const { one } = target
  const messages = one.messages(await answerTo(target))
  const call = (system: System, profile?: string) =>
    nodeReds[system].call({
      node: triggerOf(one),
      messages: system === 'floor' || system === 'fetch' ? 1 : messages,
      collect: one.isHeavy,
      ...(profile !== undefined && { profile }),
    })
  const idle = await each((system) => nodeReds[system].idle())
  const result: Result = { one, messages, idle, runs: { floor: [], fetch: [], ours: [], hand: [] } }
  const warmUp = messages >= MANY_MESSAGES ? 1 : one.isHeavy ? WARM_UP.heavy : WARM_UP.light
  const pairs = one.isHeavy ? least : least * MORE_LIGHT
  for (let run = -warmUp; run < pairs; run++) {
    for (const system of rotation(one, run + warmUp)) {
      const measured = await call(system)
      if (run >= 0) result.runs[system].push(measured)
    }
  }
  if (profiles !== undefined) await call('ours', join(profiles, `${one.id}.cpuprofile`))
  return result
}

/** Rotates the order of the systems, so that none always runs after the same other one. Long cases go without `fetch`. */
function rotation({ isHeavy }: Case, run: number): System[] {
  const all = systems.filter((system) => !isHeavy || system !== 'fetch')
  const first = run % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

/** Requests the answer beforehand, so that the simulator has created it, and to count the messages to expect. */
async function answerTo(target: BenchTarget): Promise<CaseAnswer> {
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  const answer = await fetch(addressOf(target), { method: 'POST', headers, body: requestBodyOf(target) })
  if (!answer.ok) throw new Error(`${target.one.name}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as CaseAnswer
}
