/** A process that requests current readings. Separate, because proxy variables are read when a process starts. */

import { createAccount } from '../../../src/lib/account'
import { UndiciTransport } from '../../../src/lib/api/transport'
import { systemClock } from '../../../src/lib/clock'
import { Registry } from '../../../src/lib/registry'

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
    transport: new UndiciTransport({ timeoutMs: 10_000 }),
    clock: systemClock,
    random: Math.random,
    registry: new Registry(systemClock),
  },
)

account.client
  .read('current', {}, { signal: new AbortController().signal, queueKey: 'ask', maxWaitMs: null })
  .then(({ body }) => console.log(`${body.devices.length} devices`))
  .catch((error) => console.log(`${error.code} ${error.reason} ${JSON.stringify(error.params)}`))
  .finally(() => account.close())
