/** Measures the floor, our node and the hand-built flow in turn, each in its own Node-RED. */
import { type Case, importCase, poll } from './cases'
import { createBodies, createFlow, type System, systems } from './flows'
import { type BenchNodeRed, startNodeRed } from './node-red'
import type { Measurement } from './probe'
import { type Service, startService } from './service'

export interface Result {
  benchCase: Case
  /** One measurement of each system per round. */
  runs: Record<System, Measurement[]>
  /** The longest stop of each round, in ms, while the floor reads the longest response that our node requests. */
  pageStops: number[]
}

/** Rounds during this time are discarded. */
const WARM_UP_MS = 4000
/** A case is measured for at least this long and at least this many rounds. */
const CASE_MS = 15_000
const ROUNDS = 10

export async function measureCase(benchCase: Case): Promise<Result> {
  const service = await startService(benchCase.service)
  const nodeReds = {} as Record<System, BenchNodeRed>
  const result: Result = { benchCase, runs: { floor: [], ours: [], hand: [] }, pageStops: [] }
  const call = (system: System, bodies = createBodies(benchCase, service)) => {
    const messages = system === 'floor' || benchCase.messages === 'none' ? 1 : benchCase.messages
    return nodeReds[system].call({ bodies, messages, collect: benchCase.isLarge })
  }
  try {
    for (const system of systems) nodeReds[system] = await startSystem(system, benchCase, service)
    await call('ours')
    // Our node requests pages; the other two request everything at once.
    const page = [service.longest()]
    const begin = Date.now()
    for (let round = 0; result.runs.ours.length < ROUNDS || Date.now() < begin + CASE_MS; round++) {
      const isCounted = round > 0 && Date.now() > begin + WARM_UP_MS
      // Each round starts with a different system, because the order may influence the times.
      const first = round % systems.length
      for (const system of [...systems.slice(first), ...systems.slice(0, first)]) {
        const measured = await call(system)
        if (isCounted) result.runs[system].push(measured)
      }
      if (!benchCase.goals.stop) continue
      const { stop } = await call('floor', page)
      if (isCounted) result.pageStops.push(stop)
    }
    return result
  } finally {
    await Promise.all(Object.values(nodeReds).map((nodeRed) => nodeRed.stop()))
    await service.stop()
  }
}

const startSystem = (system: System, benchCase: Case, service: Service) =>
  startNodeRed(
    createFlow(system, benchCase, service),
    system === 'ours' ? { account: service.login } : undefined,
  )

const IMPORT_ROUNDS = 5

/**
 * Imports, each in a new Node-RED, of which a first one is the warm-up. Their `peak` is what exceeds the memory before
 * both.
 */
export async function measureImport(): Promise<Measurement[]> {
  const service = await startService(importCase.service)
  const runs: Measurement[] = []
  for (let round = 0; round < IMPORT_ROUNDS; round++) {
    const nodeRed = await startSystem('ours', importCase, service)
    const idle = await nodeRed.idle()
    const call = { bodies: [], messages: Number(importCase.messages), collect: false }
    await nodeRed.call(call)
    const run = await nodeRed.call({ ...call, forget: true })
    runs.push({ ...run, peak: run.peak - idle })
    await nodeRed.stop()
  }
  await service.stop()
  return runs
}

const MEMORY_ROUNDS = 5

/** Resident memory in MB after the first poll of ten devices, compared with an idle Node-RED without our package. */
export async function measureMemory(): Promise<number[]> {
  const benchCase: Case = { ...poll(10), settings: { select: 'all' } }
  const service = await startService(benchCase.service)
  const memory: number[] = []
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    const without = await startNodeRed([{ id: 'tab', type: 'tab', label: 'idle' }])
    const idle = await without.idle()
    await without.stop()
    const polling = await startSystem('ours', benchCase, service)
    await polling.call({ bodies: [], messages: 1, collect: false })
    memory.push((await polling.idle()) - idle)
    await polling.stop()
  }
  await service.stop()
  return memory
}
