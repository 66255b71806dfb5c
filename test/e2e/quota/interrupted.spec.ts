/** The quota in a whole Node-RED over triggers that are cut short, restarts, and nodes that are removed. */
import { useQuotaHall } from '../../support/quota-hall'
import { firstRuntime } from '../../support/runtimes'
import { forgettingTests } from './forgetting'
import { removalTests } from './removal'
import { roundTests } from './rounds'

describe(`the quota in ${firstRuntime.title} that is interrupted`, () => {
  const hall = useQuotaHall(firstRuntime)
  roundTests(hall)
  forgettingTests(hall)
  removalTests(hall)
})
