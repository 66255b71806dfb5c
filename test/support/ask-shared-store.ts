/** A process of its own that takes a place in ledgers: whom it trusts is read at its start. Tells what became of each. */
import { openRedis } from '../../src/lib/quota/shared/redis'
import { claim, joins, takes } from './shared-store'

const [, , password = '', ...addresses] = process.argv

async function ask(address: string): Promise<string> {
  const ledger = openRedis(address, password, 30_000)('an account')
  try {
    return (await takes(await joins(ledger, `process ${process.pid}`), 'one', [claim({})])) ? 'taken' : 'full'
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return `${code}: ${message}`
  } finally {
    await ledger.close()
  }
}

void Promise.all(addresses.map(ask)).then((told) => console.log(JSON.stringify(told)))
