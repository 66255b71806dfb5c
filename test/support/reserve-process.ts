/**
 * A process of its own that reserves a permit in shared stores, as trusted authorities are read at its start. Prints
 * the results.
 */
import { openRedis } from '../../src/lib/quota/shared/redis'
import { isGranted, joinStore, reserveRequest } from './shared-store'

const [, , password = '', ...addresses] = process.argv

async function reserve(address: string): Promise<string> {
  const sharedStore = openRedis(address, password, 30_000)('an account')
  try {
    return (await isGranted(await joinStore(sharedStore, `process ${process.pid}`), 'one', [
      reserveRequest({}),
    ]))
      ? 'granted'
      : 'full'
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    return `${code}: ${message}`
  } finally {
    await sharedStore.close()
  }
}

void Promise.all(addresses.map(reserve)).then((results) => console.log(JSON.stringify(results)))
