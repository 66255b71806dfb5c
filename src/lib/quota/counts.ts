import type { EndpointCounts, RecordCounts } from '../../shared/admin'
import type { WindowLimiter } from './window-limiter'

/** Devices whose records are told: a person looks at them. */
const MOST_TOLD = 5

/** What a person is told of one endpoint. @param most how many may go now, as far as that is not the limit's own matter */
export function countsOf(
  requests: WindowLimiter,
  { most, freeAt, waiting }: { most: number; freeAt: number; waiting: number },
  now: number,
  toWall: number,
): EndpointCounts {
  const { limit, window } = requests.row()
  const { own, foreign: told } = requests.spent(now)
  const others = requests.others(now)
  const foreign = Math.max(told, others.amount)
  const left = Math.max(0, Math.min(most, limit - own - foreign))
  return {
    limit,
    windowSeconds: window,
    own,
    foreign,
    left,
    freeAt: left > 0 ? null : Math.round((freeAt > now ? freeAt : others.until) + toWall),
    waiting,
  }
}

/** Of those that have not all of their records left. */
export function fewestLeft(counted: RecordCounts[]): RecordCounts[] {
  const spent = counted.filter(({ left, limit }) => left < limit)
  return spent.sort((one, other) => one.left / one.limit - other.left / other.limit).slice(0, MOST_TOLD)
}
