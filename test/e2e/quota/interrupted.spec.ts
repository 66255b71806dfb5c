/** The quota in a whole Node-RED over triggers that are cut short, restarts, and nodes that are removed. */
import { useQuotaHall } from '../../support/quota-hall'
import { type Runtime, runtimes } from '../../support/runtimes'
import { forgettingTests } from './forgetting'
import { removalTests } from './removal'
import { roundTests } from './rounds'

const [runtime] = runtimes as [Runtime]

describe(`the quota in ${runtime.title} that is interrupted`, () => {
  const hall = useQuotaHall(runtime)
  roundTests(hall)
  forgettingTests(hall)
  removalTests(hall)
})
