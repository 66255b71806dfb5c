/** The quota in a whole Node-RED, with fixed windows: no limit is exceeded, and all nodes are served. */
import { useQuotaHarness } from '../../support/quota-harness'
import { firstRuntime } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

describe(`the quota in ${firstRuntime.title}, with fixed windows`, () => {
  const harness = useQuotaHarness(firstRuntime)
  loadTests(harness, 'fixed')
  waitTests(harness)
})
