/**
 * `npm run bench`: compares our nodes, a flow built by hand from core nodes, and the floor, in whole Node-REDs with the
 * simulator. RUNS: number of pairs of a long case; CASES: a regular expression that selects cases; PROFILE: a folder
 * for processor profiles. Only a run of all cases without profiles updates README.md.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { measureBeside } from './beside'
import { cases } from './cases'
import { measureFootprint } from './footprint'
import { goalsOf } from './goals'
import { measureAccounts, measureWrites } from './hour'
import { measureAll, type Result, ratio, stops } from './measure'
import type { YearFigures } from './memory'
import { measurePolls, type PollResult, pollCases, processorRatio } from './polls'
import { reportOf, writeReadme } from './report'
import { measureStart } from './start'

const { RUNS = '5', CASES, PROFILE } = process.env

async function main(): Promise<void> {
  const wanted = new RegExp(CASES ?? '')
  const chosen = cases.filter(({ id, name }) => wanted.test(id) || wanted.test(name))
  const rounds = pollCases.filter(({ name }) => wanted.test(name))
  if (chosen.length + rounds.length === 0)
    throw new Error(`CASES=${CASES}: none of ${cases.map(({ id }) => id).join(', ')}`)
  if (PROFILE !== undefined) mkdirSync(PROFILE, { recursive: true })
  const isWhole = CASES === undefined && PROFILE === undefined

  const results: Result[] = []
  const done = (result: Result) => {
    results.push(result)
    console.error(summarize(result))
  }
  if (chosen.length > 0) await measureAll(chosen, { runs: Number(RUNS), profiles: PROFILE, done })
  const polls: PollResult[] = []
  for (const one of rounds) {
    const profile = PROFILE && join(PROFILE, `${one.name}.cpuprofile`)
    const poll = await measurePolls(one, profile)
    console.error(`${one.name}: ${processorRatio(poll).median.toFixed(2)} × the floor's processor`)
    polls.push(poll)
  }
  const start = isWhole ? await measureStart() : undefined
  const footprint = isWhole ? await measureFootprint() : undefined
  const written = isWhole ? await measureWrites() : undefined
  const accounts = isWhole ? await measureAccounts() : undefined
  const beside = isWhole ? await measureBeside() : undefined
  const year = isWhole ? await measureYear() : undefined
  const report = reportOf(
    results,
    polls,
    goalsOf({ results, polls, start, footprint, written, accounts, beside, year }),
  )
  console.log(report)
  if (isWhole) writeReadme(report)
}

/** One line of progress. */
function summarize(result: Result): string {
  const wall = (of: 'ours' | 'hand') => ratio(result, 'wall', of, 'floor').median.toFixed(2)
  const stop = stops(result, 'ours').median.toFixed(0)
  return `${result.one.name}: ${wall('ours')} × floor, by hand ${wall('hand')} ×; stop ${stop} ms`
}

async function measureYear(): Promise<YearFigures> {
  const child = fork(join(__dirname, 'memory.ts'), ['year'], { execArgv: process.execArgv })
  const [year] = (await once(child, 'message')) as [YearFigures]
  await once(child, 'exit')
  return year
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
