/**
 * Compares our nodes with a flow of core nodes and with a lower bound (`floor`), in complete Node-RED instances with the simulator:
 *
 *     npm run bench -- 'current|memory|peak|limits'  # only cases whose names match; by default all
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { cases } from './cases'
import type { Judging } from './judging'
import { measureCase, measureMemory, measurePeak, type Result } from './measure'
import { createReport } from './report'

async function main(): Promise<void> {
  const wanted = new RegExp(process.argv[2] ?? '')
  const results: Result[] = []
  for (const benchCase of cases.filter(({ name }) => wanted.test(name))) {
    console.error(benchCase.name)
    results.push(await measureCase(benchCase))
  }
  const memory = wanted.test('memory') ? await measureMemory() : []
  const peak = wanted.test('peak') ? await measurePeak() : []
  const judging = wanted.test('limits') ? measureJudging() : []
  console.log(createReport(results, memory, peak, judging))
}

/** Judging is measured as it is bundled for users. */
function measureJudging(): Judging[] {
  const outfile = join(__dirname, '../../.cache/bench/judging.cjs')
  buildSync({
    entryPoints: [join(__dirname, 'judging.ts')],
    bundle: true,
    platform: 'node',
    outfile,
    logLevel: 'error',
  })
  return JSON.parse(String(execFileSync(process.execPath, ['--expose-gc', outfile])))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
