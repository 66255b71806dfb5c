/**
 * A process of its own that reserves a permit in shared stores, as trusted authorities are read at its start. Prints
 * the results.
 */
import { openRedis } from '../../src/lib/quota/shared/redis'
import { isGranted, joins, reserveRequest } from './shared-store'

const [, , password = '', ...addresses] = process.argv

async function ask(address: string): Promise<string> {
  const sharedStore = openRedis(address, password, 30_000)('an account')
  try {
    return (await isGranted(await joins(sharedStore, `process ${process.pid}`), 'one', [reserveRequest({})]))
      ? 'granted'
      : 'full'
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return `${code}: ${message}`
  } finally {
    await sharedStore.close()
  }
}

void Promise.all(addresses.map(ask)).then((told) => console.log(JSON.stringify(told)))
