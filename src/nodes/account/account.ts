import type { NodeAPI } from 'node-red'
import { registerAccountNode } from './account-node'
import { registerAdminRoutes } from './admin/routes'

/** envlog-account: one login to the service, shared by the action nodes. */
export = (RED: NodeAPI): void => {
  registerAccountNode(RED)
  registerAdminRoutes(RED)
}
