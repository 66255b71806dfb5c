/** The quota in a whole Node-RED, with sliding windows: no limit is exceeded, and all nodes are served. */
import { useQuotaHarness } from '../../support/quota-harness'
import { otherRuntime } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

describe(`the quota in ${otherRuntime.title}, with sliding windows`, () => {
  const harness = useQuotaHarness(otherRuntime)
  loadTests(harness, 'sliding')
  waitTests(harness)
})
