/** Connects to the Redis in its arguments, and prints `connected`, or the reason of the failure. */
import { until } from '../../support/wait'
import { createService, Member } from './members'

const [, , address = '', password = ''] = process.argv

async function main(): Promise<void> {
  const member = new Member(createService(), { address, password })
  const said = await until('connected or failed', () =>
    member.quota.counts().sharedConnected ? 'connected' : member.reasons[0],
  )
  console.log(said)
  process.exit()
}

void main()
