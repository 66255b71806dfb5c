/**
 * `npm run bench`: our nodes, a flow built by hand from core nodes, and the floor, in whole Node-REDs against the
 * simulator. RUNS pairs of a long case at least, CASES (a regular expression) for some of them, PROFILE (a folder)
 * for a processor profile of each. What is not a whole run leaves README.md as it is.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cases } from './cases'
import { goalsOf } from './goals'
import { measureAll, type Result, ratio, stops } from './measure'
import type { Year } from './memory'
import { reportOf, writeReadme } from './report'
import { measureStart } from './start'

const { RUNS = '5', CASES, PROFILE } = process.env

async function main(): Promise<void> {
  const wanted = new RegExp(CASES ?? '')
  const chosen = cases.filter(({ id, name }) => wanted.test(id) || wanted.test(name))
  if (chosen.length === 0) throw new Error(`CASES=${CASES}: none of ${cases.map(({ id }) => id).join(', ')}`)
  if (PROFILE !== undefined) mkdirSync(PROFILE, { recursive: true })
  const isWhole = CASES === undefined && PROFILE === undefined

  const results: Result[] = []
  const done = (result: Result) => {
    results.push(result)
    console.error(inShort(result))
  }
  await measureAll(chosen, { runs: Number(RUNS), profiles: PROFILE, done })
  const start = isWhole ? await measureStart() : undefined
  const year = isWhole ? await measureYear() : undefined
  const report = reportOf(results, goalsOf({ results, start, year }))
  console.log(report)
  if (isWhole) writeReadme(report)
}

/** For whoever waits. */
function inShort(result: Result): string {
  const wall = (of: 'ours' | 'hand') => ratio(result, 'wall', of, 'floor').median.toFixed(2)
  const stop = stops(result, 'ours').median.toFixed(0)
  return `${result.one.name}: ${wall('ours')} × floor, by hand ${wall('hand')} ×; stop ${stop} ms`
}

async function measureYear(): Promise<Year> {
  const child = fork(join(__dirname, 'memory.ts'), ['year'], { execArgv: process.execArgv })
  const [year] = (await once(child, 'message')) as [Year]
  await once(child, 'exit')
  return year
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
