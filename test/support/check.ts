/** A check of a simulated service, as by `envlog-check`, in this process. */
import type { Simulator } from '../../simulator'
import { createAccount } from '../../src/lib/account'
import { UndiciTransport } from '../../src/lib/api/transport'
import { Anonymizer } from '../../src/lib/check/anonymize'
import type { Finding } from '../../src/lib/check/assumptions'
import { checkAssumptions } from '../../src/lib/check/assumptions'
import { collectExchanges } from '../../src/lib/check/collect'
import { buildReport } from '../../src/lib/check/report'
import { systemClock } from '../../src/lib/clock'
import { Registry } from '../../src/lib/registry'

/** @param weeks by which times are moved */
export async function checkSimulated(simulator: Simulator, weeks = 10) {
  const { apiKey, loginId, loginPass } = simulator.account
  const account = createAccount(
    {
      name: '',
      baseUrl: simulator.url,
      relaySuffix: 'relay',
      timeout: 5,
      concurrency: 1,
      retries: 0,
      credentials: { apiKey, loginId, loginPass },
      series1Models: [],
    },
    {
      transport: new UndiciTransport({ timeoutMs: 5000 }),
      clock: systemClock,
      random: Math.random,
      registry: new Registry(systemClock),
    },
  )
  const context = { signal: new AbortController().signal, queueKey: 'check', maxWaitMs: 0 }
  const originals = await collectExchanges(account, context).finally(() => account.close())
  const hasSecret = (text: string) => account.client.revealsLogin(text)
  const { exchanges } = new Anonymizer(originals, hasSecret, weeks)
  const report = buildReport(exchanges)
  return { originals, exchanges, differences: differencesOf(checkAssumptions(exchanges)), report }
}

/** The assumptions that are wrong. */
export const differencesOf = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ assumption, verdict }) =>
    verdict === 'differs' || verdict === 'contradicted' ? [assumption] : [],
  )
