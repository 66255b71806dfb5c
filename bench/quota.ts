/**
 * What the quota costs: taking a place while 10,000 requests wait, and memory over a million requests. The floor
 * is the same number of promises that are made and settled.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../src/lib'
import { createQuota, type Quota } from '../src/lib/quota/quota'
import { rowsWith } from '../src/lib/quota/rows'

const WAITING = 10_000
const MEASURED = 100_000
const MANY = 1_000_000
/** Each request has a signal of its own, as those of the client have. */
const asker = (line: number) => ({ signal: new AbortController().signal, line: String(line), wait: null })

const open = (): Quota => {
  const quota = createQuota(systemClock)
  quota.join({ concurrency: 2, rows: rowsWith({ 'latest-data': { limit: 100_000_000, window: 60 } }) })
  return quota
}

/** Keeps so many waiting until `total` have been sent; resolves when all are answered. */
async function run(quota: Quota, lines: number, waiting: number, total: number): Promise<void> {
  let asked = 0
  const reading = { limit: null, remaining: null, windowSeconds: null, recordsRemaining: null }
  const next = async (): Promise<void> => {
    while (asked < total) {
      const index = asked++
      await quota.ask(
        {
          endpoint: 'latest-data',
          key: String(index),
          send: async () => ({ reading, value: index }),
          copy: (value: number) => value,
        },
        asker(index % lines),
      )
    }
  }
  await Promise.all(Array.from({ length: waiting }, next))
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
  console.log('| waiting | nodes | µs a request |\n|---|---|---|')
  for (const [waiting, lines] of [
    [1, 1],
    [WAITING, 1],
    [WAITING, 100],
    [WAITING, WAITING],
  ] as const) {
    const start = performance.now()
    await run(open(), lines, waiting, MEASURED)
    console.log(`| ${waiting} | ${lines} | ${text(((performance.now() - start) / MEASURED) * 1000)} |`)
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
