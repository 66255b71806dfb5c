/** The quota in a whole Node-RED, on a service with fixed windows: nothing is over a limit, nobody starves. */
import { useQuotaHall } from '../../support/quota-hall'
import { type Runtime, runtimes } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

const [runtime] = runtimes as [Runtime]

describe(`the quota in ${runtime.title}, with fixed windows`, () => {
  const hall = useQuotaHall(runtime)
  loadTests(hall, 'fixed')
  waitTests(hall)
})
