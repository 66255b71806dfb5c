/** A process of its own that takes a place in shared stores: whom it trusts is read at its start. Prints what became of each. */
import { openRedis } from '../../src/lib/quota/shared/redis'
import { isGranted, joins, reserveRequest } from './shared-store'

const [, , password = '', ...addresses] = process.argv

async function ask(address: string): Promise<string> {
  const sharedStore = openRedis(address, password, 30_000)('an account')
  try {
    return (await isGranted(await joins(sharedStore, `process ${process.pid}`), 'one', [reserveRequest({})]))
      ? 'taken'
      : 'full'
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return `${code}: ${message}`
  } finally {
    await sharedStore.close()
  }
}

void Promise.all(addresses.map(ask)).then((told) => console.log(JSON.stringify(told)))
