/** A flow that posts the rows of records and alerts to an archive. */

import type { Simulator } from '../../../simulator'
import { defaultsOf } from '../../support/built'
import { accountNode, position } from '../../support/e2e-flow'
import { NO_LIMITS } from '../../support/no-limits'
import type { FlowNode } from '../../support/node-red'
import type { Archive } from './archive'

const TAB = 'tab'

interface ArchiveFlowOptions {
  simulator: Simulator
  archive: Archive
  /** The start if there is no cursor. */
  since: number
  advance: 'sent' | 'acknowledged'
}

export function archiveFlow({ simulator, archive, since, advance }: ArchiveFlowOptions): FlowNode[] {
  const common = { account: 'account', repeat: 1, output: 'rows', send: 'device', advance, ackTimeout: 2 }
  const start = new Date(since).toISOString()
  return [
    { id: TAB, type: 'tab', label: 'archive' },
    accountNode(simulator, { timeout: 2, retries: 1, limits: NO_LIMITS }),
    ...branch('latest', { ...common, start }, `${archive.url}/records`),
    ...branch('alerts', { ...common, start: 'all' }, `${archive.url}/alerts`),
  ]
}

type Settings = Record<string, unknown> & { advance: string }
type AnyNode = { type: string } & Record<string, unknown>

/** Posts may overtake each other. Starts of Node-RED are more than a millisecond apart. */
const ORDER: AnyNode = {
  type: 'function',
  func: `context.order = Math.max((context.order ?? 0) + 0.001, Date.now())
msg.headers = { order: context.order }
return msg`,
}

/** Action node → post, and its receipt is returned once it was stored. */
function branch(name: 'latest' | 'alerts', settings: Settings, url: string): FlowNode[] {
  const type = `envlog-${name}`
  const nodes: AnyNode[] = [
    { type, ...defaultsOf(type), ...settings },
    ORDER,
    { type: 'http request', method: 'POST', ret: 'txt', url, senderr: true },
  ]
  const idOf = (index: number) => (index === 0 ? name : `${name}-${index}`)
  return nodes.map((node, index) => {
    const back = settings.advance === 'acknowledged' ? [name] : []
    const next = index < nodes.length - 1 ? [idOf(index + 1)] : back
    return { ...node, id: idOf(index), z: TAB, ...position, wires: [next] }
  })
}
