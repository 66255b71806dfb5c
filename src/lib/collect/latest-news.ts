import type { EnvlogError } from '../errors'
import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import type { Series } from '../readings/series'
import type { Effect } from './delivery'
import { failureOf } from './delivery'
import { type DeviceFailure, type Target, targetKey } from './devices'
import { type AccountAccess, type Collected, collectedOf, readPart, readRecords } from './fetch'
import { openHole, seriesOf, withPage } from './hole'
import { handAgain, handOver, type News, type NewsPorts, type NewsWish, takenAt } from './news'
import { nextPage } from './pages'
import { readPage } from './range'
import { cursorBefore, type Received, type RecordCursor } from './record-cursor'
import { planRecords, type RecordPlan } from './record-plan'

/** What is told beside the records. */
interface Beside {
  /** Older ones could not be had. */
  overflow: boolean
  failed: readonly DeviceFailure[]
}

/**
 * The records of a device that were not delivered yet, whole and in order (nodes.md, *envlog-latest*).
 * @throws EnvlogError; the cursor stays then
 */
export async function latestNews(
  account: AccountAccess,
  target: Target,
  wish: NewsWish,
  ports: NewsPorts,
  asker: Asker,
): Promise<void> {
  const { memory, deliver, warn } = ports
  const device = targetKey(target)
  try {
    await obey(memory.step(device, { kind: 'trigger' }))
  } catch (error) {
    const effect = memory.step(device, {
      kind: 'failed',
      failure: failureOf(error),
      now: account.monotonic(),
      fits: memory.fits(device),
    })
    if (effect !== 'give-up') throw error
    await giveUp(error as EnvlogError)
  }

  async function obey(effect: Effect): Promise<void> {
    if (effect === 'ask') await ask()
    if (effect === 'fill') await fill()
    if (effect === 'deliver') await deliverHole([])
    if (effect === 'again') await handAgain(account, target, wish, ports)
  }

  function phase() {
    return memory.machine(device).phase
  }

  function cursor(): RecordCursor | null {
    return memory.machine(device).cursor as RecordCursor | null
  }

  async function ask(): Promise<void> {
    const { body, ...answer } = await readRecords(account, 'latest', target, {}, asker)
    const { part, failed } = await readPart(target, { ...answer, body }, wish, asker.signal)
    // Told to forget meanwhile: the next trigger begins anew.
    if (phase().name !== 'asking') return
    const series = mergeSeries([part])
    const { receivedAt } = answer
    const taken = takenAt(memory, device, receivedAt)
    const received: Received = { series, receivedAt, taken, time: wish.time }
    const plan = planRecords(cursor(), received, { start: wish.start, fill: true })
    if (plan.kind === 'set-back') {
      if (memory.step(device, { kind: 'set-back' }) === 'warn') warn(target, 'stops')
    } else if (plan.kind === 'complete') await hand(answer, received, plan, { overflow: false, failed })
    else if (!wish.backfill) await complete(answer, received, { overflow: true, failed })
    else await obey(memory.step(device, { kind: 'hole', hole: openHole(received, answer, failed, plan) }))
  }

  /** The records of the hour may run out on the way: the device fails then, and goes on from here later. */
  async function fill(): Promise<void> {
    const before = phase()
    if (before.name !== 'filling') return
    const page = await readPage(account, target, nextPage(before.hole.paging), { ...asker, recordsWait: 0 })
    const { series, time } = before.hole.received
    // All of one clock: pages do not tell whether daylight saving was on.
    const read = await readPart(
      target,
      { ...page.answer, body: page.body },
      { time, offset: series.utcOffset },
      asker.signal,
    )
    // Told to forget meanwhile.
    if (phase() !== before) return
    const hole = withPage(before.hole, page, read)
    await obey(memory.step(device, { kind: 'page', hole, isLast: hole.paging.isComplete }))
  }

  async function deliverHole(failed: readonly DeviceFailure[]): Promise<void> {
    const now = phase()
    if (now.name !== 'filling') return
    const { hole } = now
    const beside = { overflow: failed.length > 0, failed: [...hole.failed, ...failed] }
    await complete(hole.answer, { ...hole.received, series: seriesOf(hole) }, beside)
  }

  /** What is missing will not come: what there is must not wait for it for good. */
  async function giveUp(error: EnvlogError): Promise<void> {
    const { serial, base } = target
    await deliverHole([{ device: { serial, base }, error: error.with({ serial, base }) }])
  }

  async function complete(answer: Collected['answer'], received: Received, beside: Beside): Promise<void> {
    const plan = planRecords(cursor(), received, { start: wish.start, fill: false })
    if (plan.kind === 'complete') {
      await hand(answer, received, plan, beside)
      return
    }
    // A receipt came meanwhile that is further than this answer: nothing of it is wanted any more.
    const known = cursor()
    if (known) memory.step(device, { kind: 'answer', next: known })
    await tell(answer, received.series, beside)
  }

  async function hand(
    answer: Collected['answer'],
    received: Received,
    { fresh, next, isSetBack }: Extract<RecordPlan, { kind: 'complete' }>,
    beside: Beside,
  ): Promise<void> {
    if (isSetBack) warn(target, 'goes-on')
    if (fresh.records.length > 0) {
      const cursors = { base: cursorBefore(fresh, received, next), next }
      await handOver(account, device, wish, ports, newsOf(answer, fresh, beside), cursors)
      return
    }
    memory.step(device, { kind: 'answer', next })
    await tell(answer, fresh, beside)
  }

  /** There is nothing to deliver. */
  async function tell(answer: Collected['answer'], series: Series, beside: Beside): Promise<void> {
    if (beside.failed.length > 0) await deliver(newsOf(answer, series, beside), true)
  }

  function newsOf(answer: Collected['answer'], series: Series, { overflow, failed }: Beside): News {
    return {
      ...collectedOf(target, answer, { kind: 'series', series }),
      ...(overflow && { overflow }),
      failed,
    }
  }
}
