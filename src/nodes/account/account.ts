import type { NodeAPI } from 'node-red'
import { registerAdminRoutes } from './admin/routes'
import { registerAccountNode } from './open-account'

/** envlog-account: one login at the service, shared by the action nodes. */
export = (RED: NodeAPI): void => {
  registerAccountNode(RED)
  registerAdminRoutes(RED)
}
