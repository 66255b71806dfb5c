import type { NodeAPI } from 'node-red'
import { registerAccount } from '../kit/account'
import { registerAdmin } from '../kit/admin'

/** envlog-account: one login at the service, shared by the action nodes. */
export = (RED: NodeAPI): void => {
  registerAccount(RED)
  registerAdmin(RED)
}
