import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLE_LIMITS } from '../src/shared/example-limits'

type FlowNode = { id: string; type: string; wires?: string[][] } & Record<string, unknown>

const EXAMPLE = 'examples/Dashboard - needs @flowfuse node-red-dashboard/wall display.json'
const CURRENT = 'envlog-example-dashboard-current'
/** Passes the wall display's readings, after this node, to the nodes that only the demo has. */
const LINK = 'demo-out'
const BEFORE_LINK = 'envlog-example-dashboard-power'

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

const ACCOUNT = 'demo-account'

/** Changes: the times of this machine, and shorter intervals in the wall display, so that visitors see changes soon. */
const CHANGES: Readonly<Record<string, object>> = {
  [ACCOUNT]: { timeZone },
  [CURRENT]: { name: 'all devices, every 20 s', repeat: 20, staleAfter: '60' },
  'envlog-example-dashboard-limits-of-plant': {
    limits: EXAMPLE_LIMITS.map((row) => ({ ...row, minutes: 0 })),
    silentAfter: 1,
    errorAfter: 1,
  },
  'envlog-example-dashboard-later': { name: '3 s', duration: '3' },
  'envlog-example-dashboard-refresh': { name: 'every minute', crontab: '*/1 * * * *' },
}

/** The demo's flows: a first tab for visitors, the wall display example, and nodes that only the demo has. */
export function demoFlows(root: string): FlowNode[] {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as FlowNode[]
  // The editor assigns the account to an imported example, and reads from a global-config which packages it needs.
  const display = read(EXAMPLE)
    .filter(({ type }) => type !== 'global-config')
    .map((node) => ('account' in node ? { ...node, account: ACCOUNT } : node))
  display.find(({ id }) => id === BEFORE_LINK)?.wires?.[0]?.push(LINK)
  const nodes = [...read('demo/start-here.json'), ...display, ...read('demo/flow.json')]
  return nodes.map((node) => ({ ...node, ...CHANGES[node.id] }))
}
