/** The quota in a whole Node-RED, on a service with fixed windows: nothing is over a limit, nobody starves. */
import { useQuotaHall } from '../../support/quota-hall'
import { firstRuntime } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

describe(`the quota in ${firstRuntime.title}, with fixed windows`, () => {
  const hall = useQuotaHall(firstRuntime)
  loadTests(hall, 'fixed')
  waitTests(hall)
})
