/**
 * Compares our nodes with a flow of core nodes and with a lower bound (`floor`), in complete Node-RED instances with the simulator:
 *
 *     npm run bench -- 'current|memory'  # only cases whose names match; by default all
 */
import { cases, importCase } from './cases'
import { limitsCase, measureLimits } from './limits'
import { measureCase, measureImport, measureMemory, type Result } from './measure'
import { createReport } from './report'

async function main(): Promise<void> {
  const wanted = new RegExp(process.argv[2] ?? '')
  const results: Result[] = []
  for (const benchCase of cases.filter(({ name }) => wanted.test(name))) {
    console.error(benchCase.name)
    results.push(await measureCase(benchCase))
  }
  const memory = wanted.test('memory') ? await measureMemory() : []
  const imports = wanted.test(importCase.name) ? await measureImport() : []
  const judged = wanted.test(limitsCase) ? measureLimits() : []
  console.log(createReport(results, memory, imports, judged))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
