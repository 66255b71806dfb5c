/** The quota in a whole Node-RED, on a service with sliding windows: nothing is over a limit, nobody starves. */
import { useQuotaHarness } from '../../support/quota-harness'
import { otherRuntime } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

describe(`the quota in ${otherRuntime.title}, with sliding windows`, () => {
  const harness = useQuotaHarness(otherRuntime)
  loadTests(harness, 'sliding')
  waitTests(harness)
})
