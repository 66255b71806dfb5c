import type { Clock } from '../../../src/lib/clock'
import type { EndpointName } from '../../../src/lib/endpoints'
import { limitsWith } from '../../../src/lib/quota/limits'
import { createQuota, type Participant } from '../../../src/lib/quota/quota'
import type { RequestContext } from '../../../src/lib/quota/types'
import type { LimitsTable } from '../../../src/shared/service-limits'
import { createVirtualClock } from '../clock'
import { contextWith, createManualService, observe, type RequestOptions } from './manual-service'

export interface ParticipantOptions extends Partial<Omit<Participant, 'limits'>> {
  limits?: LimitsTable
}

export const participant = ({
  limits = {},
  concurrency = 100,
  ...over
}: ParticipantOptions = {}): Participant => ({
  concurrency,
  limits: limitsWith(limits),
  ...over,
})

/** A quota with one member, its time and the other side. */
export function setupQuota(over: ParticipantOptions = {}, clock = createVirtualClock()) {
  return { clock, ...createProcess(clock, over) }
}

/** One more process on the same time. */
export function createProcess(clock: Clock, over: ParticipantOptions = {}) {
  const service = createManualService(clock)
  const quota = createQuota(clock)
  const leave = quota.join(participant(over))
  const submit = (key: string, wanted: RequestOptions = {}, by: Partial<RequestContext> = {}) =>
    observe(quota.submit(service.request(key, wanted), contextWith(by)))
  return { service, quota, leave, submit }
}

/** Like `setupQuota`, after a first answer of each endpoint whose permit is available again. */
export async function setupAnswered(over: ParticipantOptions = {}, endpoints: EndpointName[] = ['current']) {
  const all = setupQuota(over)
  await all.clock.settle()
  for (const endpoint of endpoints) {
    all.submit(`first of ${endpoint}`, { endpoint })
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
