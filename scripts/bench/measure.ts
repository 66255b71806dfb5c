/** Measures a case: the floor, our node and the hand-built flow in turn, each in its own Node-RED. */
import { type Case, poll } from './cases'
import { bodiesOf, flowOf, type System, systems } from './flows'
import { type BenchNodeRed, startNodeRed } from './node-red'
import type { Measurement } from './probe'
import { type Service, startService } from './service'

export interface Result {
  one: Case
  /** One measurement of each system per round. */
  runs: Record<System, Measurement[]>
  /** Longest stops in ms while the floor reads the longest response that our node requests. */
  pageStops: number[]
}

/** Rounds in the first seconds do not count. */
const WARM_UP_MS = 4000
/** A case takes at least this long, and at least this many rounds. */
const CASE_MS = 15_000
const ROUNDS = 10

export async function measureCase(one: Case): Promise<Result> {
  const service = await startService(one.service)
  const nodeReds = {} as Record<System, BenchNodeRed>
  const result: Result = { one, runs: { floor: [], ours: [], hand: [] }, pageStops: [] }
  const call = (system: System, bodies = bodiesOf(one, service)) => {
    const messages = system === 'floor' || one.messages === 'none' ? 1 : one.messages
    return nodeReds[system].call({ bodies, messages, collect: one.isLarge })
  }
  try {
    for (const system of systems) nodeReds[system] = await open(system, one, service)
    await call('ours')
    // Our node requests pages, the other two request everything at once.
    const page = [service.longest()]
    const begin = Date.now()
    for (let round = 0; result.runs.ours.length < ROUNDS || Date.now() < begin + CASE_MS; round++) {
      const isCounted = round > 0 && Date.now() > begin + WARM_UP_MS
      // Each round starts with a different system, so that none always runs after the same one.
      const first = round % systems.length
      for (const system of [...systems.slice(first), ...systems.slice(0, first)]) {
        const measured = await call(system)
        if (isCounted) result.runs[system].push(measured)
      }
      if (!one.goals.stop) continue
      const { stop } = await call('floor', page)
      if (isCounted) result.pageStops.push(stop)
    }
    return result
  } finally {
    await Promise.all(Object.values(nodeReds).map((nodeRed) => nodeRed.stop()))
    await service.stop()
  }
}

const open = (system: System, one: Case, service: Service) =>
  startNodeRed(flowOf(system, one, service), system === 'ours' ? { account: service.login } : undefined)

const MEMORY_ROUNDS = 5

/** Resident memory in MB after the first poll of ten devices, compared with an idle Node-RED without our package. */
export async function measureMemory(): Promise<number[]> {
  const one: Case = { ...poll(10), settings: { select: 'all' } }
  const service = await startService(one.service)
  const memory: number[] = []
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    const without = await startNodeRed([{ id: 'tab', type: 'tab', label: 'idle' }])
    const idle = await without.idle()
    await without.stop()
    const polling = await open('ours', one, service)
    await polling.call({ bodies: [], messages: 1, collect: false })
    memory.push((await polling.idle()) - idle)
    await polling.stop()
  }
  await service.stop()
  return memory
}
