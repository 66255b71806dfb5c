/**
 * Cost of the quota: of a request while 10,000 others wait, also with callers that are notified of their waits; how
 * long a refusal blocks the event loop; and memory over a million requests. The floor is the same number of promises
 * that are created and settled.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../src/lib'
import { EnvlogError } from '../src/lib/errors'
import { limitsWith } from '../src/lib/quota/limits'
import { createQuota, type Quota } from '../src/lib/quota/quota'
import type { AttemptResult } from '../src/lib/quota/types'

const WAITING = 10_000
const MEASURED = 100_000
const MANY = 1_000_000
/** Each request has its own signal, like those of the client. */
const context = (line: number, listens = false) => ({
  signal: new AbortController().signal,
  queueKey: String(line),
  maxWaitMs: null,
  ...(listens ? { onWait: () => {} } : {}),
})

const open = (): Quota => {
  const quota = createQuota(systemClock)
  quota.join({ concurrency: 2, limits: limitsWith({ 'latest-data': { limit: 100_000_000, window: 60 } }) })
  return quota
}

/** Keeps `waiting` requests in the queue until `total` have been sent; resolves when all are answered. */
async function run(quota: Quota, queueKeys: number, waiting: number, total: number, listens = false) {
  let sentCount = 0
  const headers = { limit: null, remaining: null, windowSeconds: null, recordsRemaining: null }
  const next = async (): Promise<void> => {
    while (sentCount < total) {
      const index = sentCount++
      await quota.submit(
        {
          endpoint: 'latest-data',
          key: String(index),
          send: async () => ({ headers, value: index }),
          copy: (value: number) => value,
        },
        context(index % queueKeys, listens),
      )
    }
  }
  await Promise.all(Array.from({ length: waiting }, next))
}

/** Queues requests and refuses the first. Measures the time of a submit, and the longest stop of the loop, in ms. */
async function refuse(queueKeys: number): Promise<{ submitMs: number; stop: number }> {
  const quota = createQuota(systemClock)
  const leave = quota.join({ concurrency: 2, limits: limitsWith() })
  let answer: (result: AttemptResult<number>) => void = () => {}
  const submit = (index: number) => {
    const request = {
      endpoint: 'alert' as const,
      key: String(index),
      send: () =>
        new Promise<AttemptResult<number>>((resolve) => {
          answer = resolve
        }),
      copy: (value: number) => value,
    }
    quota
      .submit(request, { ...context(index % queueKeys, true), signal: signals[index] as AbortSignal })
      .catch(() => {})
  }
  const controllers = Array.from({ length: WAITING }, () => new AbortController())
  const signals = controllers.map(({ signal }) => signal)
  const start = performance.now()
  for (let index = 0; index < WAITING; index++) submit(index)
  const submitMs = (performance.now() - start) / WAITING
  const error = new EnvlogError('quota-refused', { status: 429 }, { status: 429 })
  // A refusal with another window, so all callers are notified again.
  const headers = { limit: 12, remaining: 0, windowSeconds: 7200, recordsRemaining: null }
  answer({ headers, error })
  const stop = await longestStop(20)
  for (const controller of controllers) controller.abort()
  await leave()
  return { submitMs, stop }
}

/** Longest of this many turns of the event loop, in ms. */
async function longestStop(turns: number): Promise<number> {
  let longest = 0
  let last = performance.now()
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  return longest
}

async function floor(total: number): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < total; index++) await Promise.resolve(index)
  return performance.now() - start
}

function heap(): number {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}

const text = (value: number) => value.toFixed(1)

async function main(): Promise<void> {
  await run(open(), 10, 100, 20_000)
  const least = (await floor(MEASURED)) / MEASURED
  console.log(`Node ${process.version}; a promise alone: ${(least * 1000).toFixed(2)} µs\n`)
  console.log('| waiting | nodes | notified | µs a request |\n|---|---|---|---|')
  for (const [waiting, queueKeys, listens] of [
    [1, 1, false],
    [WAITING, 1, false],
    [WAITING, 100, false],
    [WAITING, WAITING, false],
    [1, 1, true],
    [WAITING, 1, true],
    [WAITING, 100, true],
  ] as const) {
    const start = performance.now()
    await run(open(), queueKeys, waiting, MEASURED, listens)
    const each = text(((performance.now() - start) / MEASURED) * 1000)
    console.log(`| ${waiting} | ${queueKeys} | ${listens ? 'yes' : ''} | ${each} |`)
  }
  console.log(
    '\n| waiting for a permit | nodes | µs an ask | longest stop after a refusal, ms |\n|---|---|---|---|',
  )
  for (const queueKeys of [1, 100]) {
    await refuse(queueKeys)
    const { submitMs, stop } = await refuse(queueKeys)
    console.log(`| ${WAITING} | ${queueKeys} | ${text(submitMs * 1000)} | ${text(stop)} |`)
  }
  const quota = open()
  await run(quota, 100, 100, 100_000)
  const before = heap()
  await run(quota, 100, 100, MANY)
  console.log(`\nheap after 100,000 requests ${text(before)} MB, after ${MANY} more ${text(heap())} MB`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
