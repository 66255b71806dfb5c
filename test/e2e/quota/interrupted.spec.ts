/** The quota in a whole Node-RED with interrupted triggers, restarts, and removed nodes. */
import { useQuotaHarness } from '../../support/quota-harness'
import { firstRuntime } from '../../support/runtimes'
import { removalTests } from './removal'
import { roundTests } from './rounds'
import { unknownUsageTests } from './unknown-usage'

describe(`the quota in ${firstRuntime.title} that is interrupted`, () => {
  const harness = useQuotaHarness(firstRuntime)
  roundTests(harness)
  unknownUsageTests(harness)
  removalTests(harness)
})
