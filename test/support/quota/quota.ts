import type { Clock } from '../../../src/lib/clock'
import type { EndpointName } from '../../../src/lib/endpoints'
import { limitsWith } from '../../../src/lib/quota/limits'
import { createQuota, type Participant } from '../../../src/lib/quota/quota'
import type { RequestContext } from '../../../src/lib/quota/types'
import type { LimitsTable } from '../../../src/shared/limits'
import { createVirtualClock } from '../clock'
import { contextWith, createManualService, outcome, type Wanted } from './manual-service'

export interface Setup extends Partial<Omit<Participant, 'limits'>> {
  limits?: LimitsTable
}

export const member = ({ limits = {}, concurrency = 100, ...over }: Setup = {}): Participant => ({
  concurrency,
  limits: limitsWith(limits),
  ...over,
})

/** A quota with one member, its time and the other side. */
export function setup(over: Setup = {}, clock = createVirtualClock()) {
  return { clock, ...processOf(clock, over) }
}

/** One more process on the same time. */
export function processOf(clock: Clock, over: Setup = {}) {
  const service = createManualService(clock)
  const quota = createQuota(clock)
  const leave = quota.join(member(over))
  const ask = (key: string, wanted: Wanted = {}, by: Partial<RequestContext> = {}) =>
    outcome(quota.submit(service.request(key, wanted), contextWith(by)))
  return { service, quota, leave, ask }
}

/** As `setup`, after a first answer of each endpoint whose permit is available again. */
export async function known(over: Setup = {}, endpoints: EndpointName[] = ['current']) {
  const all = setup(over)
  await all.clock.settle()
  for (const endpoint of endpoints) {
    all.ask(`first of ${endpoint}`, { endpoint })
    await all.clock.settle()
    all.service.sent.at(-1)?.answer()
  }
  await all.clock.pass(2 * 3_600_000)
  all.service.sent.length = 0
  return all
}

/** So many keys in a row. */
export const keys = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)
