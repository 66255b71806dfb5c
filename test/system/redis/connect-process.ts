/** Connects to the Redis of its arguments, and prints `connected`, or why it cannot. */
import { until } from '../../support/wait'
import { createService, Member } from './members'

const [, , address = '', password = ''] = process.argv

async function main(): Promise<void> {
  const member = new Member(createService(), { address, password })
  const said = await until('it is decided', () =>
    member.quota.counts().sharedConnected ? 'connected' : member.reasons[0],
  )
  console.log(said)
  process.exit()
}

void main()
