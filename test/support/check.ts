/** A check of a simulated service, as `envlog-check` makes it, in this process. */
import type { Simulator } from '../../simulator'
import { createAccount } from '../../src/lib/account'
import { createUndiciTransport, type HttpResponse, type Transport } from '../../src/lib/api/transport'
import { checkAssumptions, type Finding } from '../../src/lib/check/assumptions'
import { collectExchanges } from '../../src/lib/check/collect'
import type { Exchange } from '../../src/lib/check/exchange'
import { anonymizeExchanges, buildReport, type SavedReport } from '../../src/lib/check/report'
import { systemClock } from '../../src/lib/clock'
import { runToEnd } from '../../src/lib/cooperative'
import { createRegistry } from '../../src/lib/registry'

export interface Checked {
  /** As the service answered. */
  raw: Exchange[]
  /** With stand-ins. */
  exchanges: Exchange[]
  findings: Finding[]
  report: SavedReport | undefined
  weeks: number
}

export async function checkService(simulator: Simulator): Promise<Checked> {
  const { apiKey, loginId, loginPass } = simulator.account
  let headers: HttpResponse['headers'] | undefined
  const inner = createUndiciTransport({ connections: 1, timeoutMs: 5000 })
  const transport: Transport = {
    async send(request) {
      const response = await inner.send(request)
      headers = response.headers
      return response
    },
    close: () => inner.close(),
  }
  const account = createAccount(
    {
      ...{ name: '', baseUrl: simulator.url, relaySuffix: 'relay', timeout: 5, concurrency: 1, retries: 0 },
      ...{ credentials: { apiKey, loginId, loginPass }, series1Models: [] },
    },
    { transport, clock: systemClock, random: Math.random, registry: createRegistry(systemClock) },
  )
  const context = { signal: new AbortController().signal, queueKey: 'check', maxWaitMs: 0 }
  const raw = await collectExchanges({ account, context, lastHeaders: () => headers }).finally(() =>
    account.close(),
  )
  const random = { key: 'always the same', weeks: 10 }
  const anonymized = runToEnd(anonymizeExchanges(raw, account.client.revealsLogin, random))
  const { exchanges } = anonymized
  const findings = checkAssumptions(exchanges)
  const report = runToEnd(buildReport(anonymized, '1.2.3'))
  return { raw, exchanges, findings, report, weeks: random.weeks }
}
