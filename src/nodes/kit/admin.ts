import type { NodeAPI } from 'node-red'
import { EnvlogError } from '../../lib/errors'
import type { AccountNode } from './account'
import { inWords } from './words'

/**
 * What the editor asks the runtime. Reading costs no quota and tells no more than messages do, so read
 * permission is enough; without `adminAuth` Node-RED lets everybody in.
 */
export function registerAdmin(RED: NodeAPI): void {
  RED.httpAdmin.get(
    '/envlog/accounts/:id/quota',
    RED.auth.needsPermission('envlog.read'),
    (request, response) => {
      const node = RED.nodes.getNode(String(request.params.id)) as unknown as Partial<AccountNode> | null
      if (typeof node?.envlog !== 'function') {
        response.status(404).json({ error: 'no such account' })
        return
      }
      try {
        response.json(node.envlog().quota.counts())
      } catch (error) {
        const code = error instanceof EnvlogError ? error.code : undefined
        response.status(409).json({ error: inWords(RED, error).message, code })
      }
    },
  )
}
