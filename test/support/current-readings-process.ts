/** A process that requests current readings. Separate, because proxy variables are read at the start of a process. */
import { createAccount, createRegistry, createUndiciTransport, systemClock } from '../../src/lib'

const [, , baseUrl = '', login = '{}'] = process.argv
const account = createAccount(
  {
    name: '',
    baseUrl,
    relaySuffix: 'relay',
    credentials: JSON.parse(login),
    timeout: 10,
    concurrency: 1,
    retries: 0,
    series1Models: [],
  },
  {
    transport: createUndiciTransport({ connections: 1, timeoutMs: 10_000 }),
    clock: systemClock,
    random: Math.random,
    registry: createRegistry(systemClock),
  },
)

account.client
  .read('current', {}, { signal: new AbortController().signal, queueKey: 'ask', maxWaitMs: null })
  .then(({ body }) => console.log(`${body.devices.length} devices`))
  .catch((error) => console.log(`${error.code} ${error.reason} ${JSON.stringify(error.params)}`))
  .finally(() => account.close())
