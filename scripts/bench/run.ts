/**
 * Compares our nodes with a flow of core nodes and with a lower bound (`floor`), in complete Node-RED instances with the simulator:
 *
 *     npm run bench -- 'current|memory'  # only cases whose names match; by default all
 */
import { cases } from './cases'
import { measureCase, measureMemory, type Result } from './measure'
import { createReport } from './report'

async function main(): Promise<void> {
  const wanted = new RegExp(process.argv[2] ?? '')
  const results: Result[] = []
  for (const benchCase of cases.filter(({ name }) => wanted.test(name))) {
    console.error(benchCase.name)
    results.push(await measureCase(benchCase))
  }
  const memory = wanted.test('memory') ? await measureMemory() : []
  console.log(createReport(results, memory))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
