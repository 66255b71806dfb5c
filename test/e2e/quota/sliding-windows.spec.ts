/** The quota in a whole Node-RED, on a service with sliding windows: nothing is over a limit, nobody starves. */
import { useQuotaHall } from '../../support/quota-hall'
import { type Runtime, runtimes } from '../../support/runtimes'
import { loadTests } from './load'
import { waitTests } from './waits'

const [first, runtime = first] = runtimes as [Runtime, Runtime?]

describe(`the quota in ${runtime.title}, with sliding windows`, () => {
  const hall = useQuotaHall(runtime)
  loadTests(hall, 'sliding')
  waitTests(hall)
})
