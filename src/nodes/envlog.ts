import type { NodeAPI } from 'node-red'
import account from './account/account'
import alarms from './alarms/alarms'
import alerts from './alerts/alerts'
import current from './current/current'
import latest from './latest/latest'
import limits from './limits/limits'
import range from './range/range'
import report from './report/report'

/** Registers all node types of the package. */
export = (RED: NodeAPI): void => {
  for (const register of [account, current, latest, range, alerts, limits, alarms, report]) register(RED)
}
