/** The quota in a whole Node-RED, on a service with fixed windows: nothing is over a limit, nobody starves. */
import { useQuotaHarness } from '../../support/quota-harness'
import { firstRuntime } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

describe(`the quota in ${firstRuntime.title}, with fixed windows`, () => {
  const harness = useQuotaHarness(firstRuntime)
  loadTests(harness, 'fixed')
  waitTests(harness)
})
