import type { Node, NodeAPI, NodeDef } from 'node-red'
import type { Account } from '../../lib/account'
import { onBackgroundError } from '../../lib/background'
import type { AccountNode } from '../kit/action/account-node'
import { localizeError } from '../kit/report/localize'
import { translate } from '../kit/report/translate'
import { createContextStore } from '../kit/state/context-store'
import { createFileStore } from '../kit/state/file-store'
import { registerAdminRoutes } from './admin/routes'
import { openAccount } from './open-account'
import { createSharedQuotaStatus } from './shared-quota-status'

/** envlog-account: one login to the service, shared by the action nodes, and opened when the first of them uses it. */
export = (RED: NodeAPI): void => {
  registerAdminRoutes(RED)
  onBackgroundError((error) => RED.log.error(`envlog: ${localizeError(RED, error).message}`))
  function AccountNodeConstructor(this: AccountNode, config: NodeDef & { store?: string }) {
    RED.nodes.createNode(this, config)
    let account: Account | undefined
    let hasReported = false
    const storeName = String(config.store ?? '').trim()
    /**
     * The nodes whose last write failed. The account warns when there is one again, because they share the store. A node
     * that has stopped counts only for others that are stopping, too.
     */
    const failing = new Set<string>()
    const onWrite = (nodeId: string, error?: Error) => {
      const isStopping = !(nodeId in this.users)
      if (error && ![...failing].some((id) => isStopping || id in this.users)) {
        const params = { store: storeName || 'envlog/', detail: error.message }
        this.warn(translate(RED, 'warnings.store-failing', params))
      }
      if (error) failing.add(nodeId)
      else failing.delete(nodeId)
    }
    const createStore = (node: Node) => {
      const { userDir } = RED.settings
      // Node-RED's default context store is in memory: after a restart, everything would be sent again.
      return storeName === '' && userDir
        ? createFileStore(userDir, node.id, () => node.log(translate(RED, 'warnings.state-missing')))
        : createContextStore(RED, node, storeName)
    }
    this.users = {}
    this.deployed = () => ({ config: { ...config }, credentials: { ...(this.credentials as object) } })
    this.getAccount = () => {
      account ??= openAccount(RED, config, this.credentials ?? {}, {
        onSharedChange: createSharedQuotaStatus(RED, this),
      })
      return account
    }
    this.acquire = (user, owner = user) => {
      this.users[user.id] = user
      failing.delete(user.id)
      try {
        const store = { ...createStore(owner), onWrite: (error?: Error) => onWrite(user.id, error) }
        return { account: this.getAccount(), store }
      } catch (error) {
        // The editor does not mark an account whose credentials are missing, for example after an import.
        if (!hasReported) this.error(localizeError(RED, error))
        hasReported = true
        throw error
      }
    }
    this.on('close', (_removed: boolean, done: () => void) => {
      if (account) account.close().then(done, done)
      else done()
    })
  }
  RED.nodes.registerType('envlog-account', AccountNodeConstructor as never, {
    credentials: {
      apiKey: { type: 'password' },
      loginId: { type: 'text' },
      loginPass: { type: 'password' },
      sharedQuotaPassword: { type: 'password' },
    },
  })
}
