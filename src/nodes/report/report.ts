import type { NodeAPI } from 'node-red'
import { findAccountNode } from '../kit/action/account-node'
import { setReportPreview } from '../kit/action/report-preview'
import { type NodeConfig, registerNode } from '../kit/action/start-node'

/** envlog-report: a page and a table about the measurements of a period, or a check of the current readings. */
export = (RED: NodeAPI): void => {
  setReportPreview((...about) => {
    const { previewReport } = require('./preview') as typeof import('./preview')
    return previewReport(RED, ...about)
  })
  registerNode<NodeConfig>(RED, 'envlog-report', {
    create: (node, config) => {
      const { ReportNode } = require('./report-node') as typeof import('./report-node')
      return new ReportNode(RED, node, config)
    },
    release: (node, { account }) => {
      delete findAccountNode(RED, account)?.users[node.id]
    },
  })
}
