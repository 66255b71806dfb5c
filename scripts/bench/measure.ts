/** Measures the floor, our node and the hand-built flow in turn, each in its own Node-RED. */
import { type Case, poll, report } from './cases'
import { createBodies, createFlow, type System, systems } from './flows'
import { type BenchNodeRed, startNodeRed } from './node-red'
import type { Measurement } from './probe'
import { type Service, startService } from './service'

export interface Result {
  benchCase: Case
  /** One measurement of each system per round. */
  runs: Record<System, Measurement[]>
}

/** Rounds during this time are discarded. */
const WARM_UP_MS = 4000
/** A case is measured for at least this long and at least this many rounds. */
const CASE_MS = 15_000
const ROUNDS = 10

export async function measureCase(benchCase: Case): Promise<Result> {
  const service = await startService(benchCase.service)
  const nodeReds = {} as Record<System, BenchNodeRed>
  const result: Result = { benchCase, runs: { floor: [], ours: [], hand: [] } }
  const bodies = createBodies(benchCase, service)
  const call = (system: System) => {
    const messages = system === 'floor' || benchCase.messages === 'none' ? 1 : benchCase.messages
    return nodeReds[system].call({ bodies, messages, collect: benchCase.isLarge })
  }
  try {
    for (const system of systems) nodeReds[system] = await startSystem(system, benchCase, service)
    const begin = Date.now()
    for (let round = 0; result.runs.ours.length < ROUNDS || Date.now() < begin + CASE_MS; round++) {
      const isCounted = round > 0 && Date.now() > begin + WARM_UP_MS
      // Each round starts with a different system, because the order may influence the times.
      const first = round % systems.length
      for (const system of [...systems.slice(first), ...systems.slice(0, first)]) {
        const measured = await call(system)
        if (isCounted) result.runs[system].push(measured)
      }
    }
    return result
  } finally {
    await Promise.all(Object.values(nodeReds).map((nodeRed) => nodeRed.stop()))
    await service.stop()
  }
}

function startSystem(system: System, benchCase: Case, service: Service): Promise<BenchNodeRed> {
  const isOurs = system === 'ours' || (system === 'hand' && typeof benchCase.hand !== 'string')
  return startNodeRed(createFlow(system, benchCase, service), isOurs ? { account: service.login } : undefined)
}

const MEMORY_ROUNDS = 5

/**
 * The largest resident memory in MB while a report is made, compared with the same Node-RED before it. Each Node-RED
 * makes one, as it does once a day.
 */
export async function measurePeak(): Promise<number[]> {
  const benchCase = report(60)
  const service = await startService(benchCase.service)
  const memory: number[] = []
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    const making = await startSystem('ours', benchCase, service)
    const idle = await making.idle()
    const { peak } = await making.call({ bodies: [], messages: 1, collect: true, peak: true })
    memory.push(peak - idle)
    await making.stop()
  }
  await service.stop()
  return memory
}

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
