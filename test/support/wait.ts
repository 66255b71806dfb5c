import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 20
/** Ends only a test that hangs. */
const DEADLINE_MS = 60_000

/** Polls `probe` until its result is neither `undefined` nor `false`; for conditions in other processes. */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadline = DEADLINE_MS,
  interval = INTERVAL_MS,
): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + deadline
  for (;;) {
    const found = await probe()
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
    if (Date.now() > end) throw new Error(`Not within ${deadline / 1000} s: ${what}`)
    await sleep(interval)
  }
}
