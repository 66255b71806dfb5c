import type { Asker } from '../quota/asker'
import type { LogEntry } from '../readings/alerts'
import { type AlertCursor, planAlerts } from './alert-cursor'
import { failureOf } from './delivery'
import { type Target, targetKey } from './devices'
import { type AccountAccess, collectedOf, readEntries, readLog } from './fetch'
import { handAgain, handOver, type NewsPorts, type NewsWish, takenAt } from './news'

type Wish = Omit<NewsWish, 'backfill' | 'start'> & { start: 'now' | 'held' }

/** The alerts of a device that were not delivered yet (nodes.md, *envlog-alerts*). @throws EnvlogError */
export async function alertNews(
  account: AccountAccess,
  target: Target,
  wish: Wish,
  ports: NewsPorts,
  asker: Asker,
): Promise<void> {
  const { memory } = ports
  const device = targetKey(target)
  const effect = memory.step(device, { kind: 'trigger' })
  try {
    if (effect === 'ask') await ask()
    if (effect === 'again') await handAgain(account, target, wish, ports)
  } catch (error) {
    memory.step(device, { kind: 'failed', failure: failureOf(error), now: account.monotonic(), fits: true })
    throw error
  }

  async function ask(): Promise<void> {
    const { body, ...answer } = await readEntries(account, target, asker)
    // Told to forget meanwhile: the next trigger begins anew.
    if (memory.machine(device).phase.name !== 'asking') return
    const known = memory.machine(device).cursor as AlertCursor | null
    const taken = takenAt(memory, device, answer.receivedAt)
    let plan = planAlerts<LogEntry>(known, [], taken, wish.start)
    const { log, failed } = readLog(target, { ...answer, body }, wish.time, (entries) => {
      plan = planAlerts(known, entries, taken, wish.start)
      return plan.fresh
    })
    const { fresh, overflow, next } = plan
    const collected = collectedOf(target, answer, { kind: 'alerts', ...log })
    const news = { ...collected, ...(overflow && { overflow }), failed }
    if (fresh.length === 0) {
      memory.step(device, { kind: 'answer', next })
      if (failed.length > 0) await ports.deliver(news, true)
      return
    }
    const base: AlertCursor = { seen: [], begins: true, taken: next.taken - 1 }
    await handOver(account, device, wish, ports, news, { base, next })
  }
}
