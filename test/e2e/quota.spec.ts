/** The quota in whole Node-REDs: nothing is over a limit, nobody starves, whatever is deployed or killed. */
import { useQuotaHall } from '../support/quota-hall'
import { runtimes } from '../support/runtimes'
import { forgettingTests } from './quota/forgetting'
import { loadTests } from './quota/load'
import { removalTests } from './quota/removal'
import { roundTests } from './quota/rounds'
import { waitTests } from './quota/waits'

for (const [at, windows] of (['fixed', 'sliding'] as const).entries()) {
  const runtime = runtimes[at % runtimes.length]
  if (!runtime) continue
  describe(`the quota in ${runtime.title}, with ${windows} windows`, () => {
    const hall = useQuotaHall(runtime)
    loadTests(hall, windows)
    waitTests(hall)
    // What is left has nothing to do with the runtime.
    if (at > 0) return
    roundTests(hall)
    forgettingTests(hall)
    removalTests(hall)
  })
}
