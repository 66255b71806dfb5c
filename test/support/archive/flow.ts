/** A flow that archives records and alerts in SQLite, each with one statement. */
import type { Simulator } from '../../../simulator'
import { defaultsOf } from '../built'
import { sqliteNode } from '../database-chains'
import { position } from '../e2e-flow'
import type { AnyNode } from '../flow-harness'
import type { FlowNode } from '../node-red'
import { insertInto } from './database'

const NEVER_REACHED = 1_000_000

/** Headers report all limits after the first answer, except the hourly limit of records. */
const generous = Object.fromEntries(
  ['current', 'latest-data', 'latest-data-relay', 'data', 'data-relay', 'alert'].map((endpoint) => {
    const records = endpoint.startsWith('data') ? { records: 1000 * NEVER_REACHED, recordsWindow: 1 } : {}
    return [endpoint, { limit: NEVER_REACHED, window: 1, ...records }]
  }),
)

export const LATEST = 'latest'
export const TAB = 'tab'

interface ArchiveFlowOptions {
  simulator: Simulator
  /** The folder of the archive. */
  folder: string
  /** Without a cursor: from when on. */
  since: number
  advance: 'sent' | 'acknowledged'
  ackTimeout?: number
  /** Alerts too. */
  alerts?: boolean
  /** Asks as soon as the flow starts, and not only after the first seconds. */
  atOnce?: boolean
  /** The database is slow: up to half a second per message. */
  slow?: boolean
}

export function archiveFlow(options: ArchiveFlowOptions): FlowNode[] {
  const {
    simulator,
    folder,
    since,
    advance,
    ackTimeout = 2,
    alerts = true,
    atOnce = false,
    slow = false,
  } = options
  const { apiKey, loginId, loginPass } = simulator.account
  const common = { account: 'account', repeat: 1, output: 'rows', send: 'device', advance, ackTimeout }
  const start = new Date(since).toISOString()
  return [
    { id: TAB, type: 'tab', label: 'archive' },
    {
      id: 'account',
      type: 'envlog-account',
      ...defaultsOf('envlog-account'),
      baseUrl: simulator.url,
      timeout: 2,
      retries: 1,
      limits: JSON.stringify(generous),
      credentials: { apiKey, loginId, loginPass },
    },
    { ...sqliteNode(folder), db: `${folder}/archive.sqlite` },
    ...branch(LATEST, { ...common, start }, insertInto('records'), slow),
    ...(alerts ? branch('alerts', { ...common, start: 'held' }, insertInto('alerts')) : []),
    ...(atOnce ? [{ ...begin, wires: [[LATEST]] }] : []),
  ]
}

const begin: FlowNode = {
  id: 'begin',
  type: 'inject',
  z: TAB,
  ...position,
  once: true,
  onceDelay: 0.1,
  props: [],
}

type Settings = Record<string, unknown> & { advance: string }

const RANDOM_DELAY: AnyNode = {
  type: 'delay',
  pauseType: 'random',
  randomFirst: '0',
  randomLast: '500',
  randomUnits: 'milliseconds',
}

/**
 * Action node → JSON text → parameter → statement, and its receipt back. A *complete* node would not do here: the
 * SQLite node never completes. It passes on what its statement has stored.
 */
function branch(name: 'latest' | 'alerts', settings: Settings, sql: string, slow = false): FlowNode[] {
  const type = `envlog-${name}`
  const nodes: AnyNode[] = [
    { type, ...defaultsOf(type), ...settings },
    { type: 'json', property: 'payload', action: 'str' },
    {
      type: 'change',
      rules: [{ t: 'set', p: 'params', pt: 'msg', to: '{"$rows": payload}', tot: 'jsonata' }],
    },
    ...(slow ? [RANDOM_DELAY] : []),
    { type: 'sqlite', mydb: 'sqlite', sqlquery: 'prepared', sql },
  ]
  const idOf = (index: number) => (index === 0 ? name : `${name}-${index}`)
  return nodes.map((node, index) => {
    const back = settings.advance === 'acknowledged' ? [name] : []
    const next = index < nodes.length - 1 ? [idOf(index + 1)] : back
    return { ...node, id: idOf(index), z: TAB, ...position, wires: [next] }
  })
}
