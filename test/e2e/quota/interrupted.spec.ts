/** The quota in a whole Node-RED over triggers that are cut short, restarts, and nodes that are removed. */
import { useQuotaHarness } from '../../support/quota-harness'
import { firstRuntime } from '../../support/runtimes'
import { forgettingTests } from './forgetting'
import { removalTests } from './removal'
import { roundTests } from './rounds'

describe(`the quota in ${firstRuntime.title} that is interrupted`, () => {
  const harness = useQuotaHarness(firstRuntime)
  roundTests(harness)
  forgettingTests(harness)
  removalTests(harness)
})
