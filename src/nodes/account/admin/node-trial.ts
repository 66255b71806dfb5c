import type { NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import type { EndpointName } from '../../../lib/endpoints'
import { EnvlogError } from '../../../lib/errors'
import type { RequestContext } from '../../../lib/request'
import type { Trial } from '../../../shared/admin'
import { tryAction } from '../../kit/action/trial'
import { toAdminFailure } from './admin-failure'

/**
 * Tries an action node with the settings in its form.
 * @throws EnvlogError if the node would send nothing because of a failure, or if there is no quota now
 */
export async function tryNode(
  account: Account,
  requestContext: RequestContext,
  { node }: Record<string, unknown>,
  RED: NodeAPI,
): Promise<Trial> {
  const sent: EndpointName[] = []
  const onStart = (endpoint: EndpointName) => {
    sent.push(endpoint)
  }
  // A user is waiting, and deployed nodes need the quota.
  const context = { ...requestContext, maxWaitMs: 0, isTriedOnce: true, onStart }
  const saved = (node ?? {}) as Record<string, unknown>
  const { errors, ...tried } = await tryAction(RED, account, saved, context).catch((error) => {
    throw withoutSecrets(error, account)
  })
  const last = sent.at(-1)
  return {
    ...tried,
    requests: sent.length,
    ...(last && { left: account.quota.counts().endpoints[last].left }),
    failures: errors.map((error) => toAdminFailure(withoutSecrets(error, account))),
  }
}

/** An expression in the settings may contain the API key or the password. */
export function withoutSecrets(error: unknown, { client }: Account): unknown {
  if (!(error instanceof EnvlogError)) return error
  const params = Object.entries(error.params).map(([name, value]) => {
    return [name, client.revealsSecret(String(value)) ? '…' : value] as const
  })
  return new EnvlogError(error.reason, Object.fromEntries(params), error.cause, error.subject)
}
