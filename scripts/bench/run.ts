/**
 * Compares our nodes with a flow of core nodes and with the floor, in complete Node-REDs with the simulator:
 *
 *     npm run bench -- 'current|memory'  # only cases whose names match; all by default
 */
import { cases } from './cases'
import { measureCase, measureMemory, type Result } from './measure'
import { reportOf } from './report'

async function main(): Promise<void> {
  const wanted = new RegExp(process.argv[2] ?? '')
  const results: Result[] = []
  for (const one of cases.filter(({ name }) => wanted.test(name))) {
    console.error(one.name)
    results.push(await measureCase(one))
  }
  const memory = wanted.test('memory') ? await measureMemory() : []
  console.log(reportOf(results, memory))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
