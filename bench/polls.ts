/**
 * Rounds of a node that polls many devices and delivers each record once, beside a round of plain requests and
 * `JSON.parse` (the floor): processor per device, and how long the event loop is stopped.
 */
import { type Spread, spread } from './figures'
import { accountIdOf, bodyOf, floorFlow, ourFlow, pollTarget, triggerOf } from './flows'
import { withServices } from './measure'
import { startBenchNodeRed } from './node-red'
import type { Measurement } from './probe'
import { services } from './services'

const MINUTE = 60_000

export interface PollCase {
  name: string
  service: 'poll-500' | 'poll-5000'
  /** New records of each device since the round before. */
  news: number
  rounds: number
  /** The goal: processor over the floor's. */
  most?: number
}

export interface PollResult {
  one: PollCase
  devices: number
  ours: Measurement[]
  floor: Measurement[]
}

export const pollCases: readonly PollCase[] = [
  { name: 'poll of 500 devices, nothing new', service: 'poll-500', news: 0, rounds: 20, most: 1.5 },
  { name: 'poll of 500 devices, 3 new records each', service: 'poll-500', news: 3, rounds: 10, most: 1.8 },
  { name: 'poll of 5,000 devices, nothing new', service: 'poll-5000', news: 0, rounds: 5 },
  { name: 'poll of 5,000 devices, 3 new records each', service: 'poll-5000', news: 3, rounds: 5 },
]

/** Of a whole round, round by round. */
export const processorRatio = ({ ours, floor }: PollResult): Spread =>
  spread(ours.map(({ processor }, round) => processor / (floor[round]?.processor ?? Number.NaN)))

export const measurePolls = (one: PollCase, profile?: string): Promise<PollResult> =>
  withServices([one.service], async ([service], advance) => {
    if (!service) throw new Error(`${one.service} is not open`)
    const target = pollTarget(one.service, service)
    const bodies = services[one.service].fleet.map(({ serial }) =>
      bodyOf(service, { 'remote-serial': serial }),
    )
    const [nodeRed, floor] = await Promise.all([
      startBenchNodeRed(ourFlow([target]), { [accountIdOf(target)]: service.login }),
      startBenchNodeRed(floorFlow(`${service.url}/v1/devices/latest-data`, bodies), {}),
    ])
    const trigger = triggerOf(target.one)
    const callFloor = () => floor.call({ node: 'round', messages: 1, collect: true })
    const result: PollResult = { one, devices: target.devices, ours: [], floor: [] }
    // The round's end is a message too.
    const first = target.devices + 1
    const later = one.news > 0 ? first : 1
    for (let round = 0; round <= one.rounds; round++) {
      if (one.news > 0) {
        if (round > 0) await advance(one.news * MINUTE)
        // The service makes its answers, which takes it longer than to send them.
        await callFloor()
      }
      // Who is first changes.
      const early = round % 2 === 0 ? await callFloor() : undefined
      const ours = await nodeRed.call({
        node: trigger,
        messages: round === 0 ? first : later,
        collect: true,
        ...(round === one.rounds && profile !== undefined && { profile }),
      })
      const base = early ?? (await callFloor())
      if (round === 0) continue
      result.floor.push(base)
      result.ours.push(ours)
    }
    await Promise.all([nodeRed.stop(), floor.stop()])
    return result
  })
