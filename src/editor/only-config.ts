import { EXAMPLE_LIMITS } from '../shared/example-limits'
import { isEnvVariable } from '../shared/schema'
import { type ConfigNode, type Form, listOf } from './red'

/** The config nodes that our nodes need, by the property with their id. */
const CONFIGS = { account: 'envlog-account', limits: 'envlog-limits' } as const
type Config = keyof typeof CONFIGS

/** The config node for a node that has none, if there is exactly one that it can use. */
export function findOnly(config: Config, { z }: Form): string | undefined {
  const found: string[] = []
  RED.nodes.eachConfig((node) => {
    const isUsable = node.type === CONFIGS[config] && !node.d && (!node.z || node.z === z)
    if (isUsable) found.push(node.id)
  })
  return found.length === 1 ? found[0] : undefined
}

/** Nodes that were added, until the import or paste with them is complete. */
const added = new Set<Form>()

/**
 * From now on, nodes without an account or limits get the only ones: when they are dropped, pasted or imported, as the
 * examples are, and when the first account or limits are added. Nodes that are loaded with the flows stay as they were
 * deployed.
 */
export function assignOnlyConfigs(): void {
  RED.events.on('flows:loaded', () => added.clear())
  RED.events.on('nodes:add', (node) => {
    if (!node.type.startsWith('envlog-')) return
    if (added.size === 0) window.setTimeout(assignAdded)
    added.add(node)
  })
}

function assignAdded(): void {
  for (const node of added) if (node.type === CONFIGS.limits) replaceExample(node)
  const hasConfig = [...added].some(({ type }) => Object.values<string>(CONFIGS).includes(type))
  if (hasConfig) {
    RED.nodes.eachConfig(assign)
    RED.nodes.eachNode(assign)
  }
  for (const node of added) assign(node)
  added.clear()
}

/** The limits of an example are not needed if the plant has its own: there is one list of alarms. */
function replaceExample(example: ConfigNode): void {
  if (JSON.stringify(example.limits) !== JSON.stringify(EXAMPLE_LIMITS)) return
  const others: string[] = []
  RED.nodes.eachConfig((node) => {
    const isOther = node.type === CONFIGS.limits && !added.has(node) && !node.d && !node.z
    if (isOther) others.push(node.id)
  })
  if (others.length !== 1) return
  for (const user of listOf(example.users) as Form[]) {
    user.limits = others[0]
    update(user)
  }
  RED.nodes.remove(example.id)
  // To undo the import, Node-RED looks for all nodes that it has added.
  const last = RED.history.peek()
  for (const { nodes } of [last, ...(last?.events ?? [])].flatMap((event) => event ?? [])) {
    const index = nodes?.indexOf(example.id) ?? -1
    if (index >= 0) nodes?.splice(index, 1)
  }
}

function assign(node: Form): void {
  if (!node.type.startsWith('envlog-')) return
  const flow = RED.nodes.workspace(node.z as string) ?? RED.nodes.subflow(node.z as string)
  if (flow?.locked) return
  const { defaults = {} } = (node._def ?? {}) as { defaults?: Record<string, { type?: string }> }
  for (const config of Object.keys(CONFIGS) as Config[]) {
    const id = node[config]
    if (defaults[config]?.type !== CONFIGS[config] || isEnvVariable(id)) continue
    // It may have been removed, as by undoing its creation.
    if (id && RED.nodes.node(id as string)) continue
    const only = findOnly(config, node)
    // A report without limits is complete.
    if (!only || (config === 'limits' && !id && node.type === 'envlog-report')) continue
    node[config] = only
    update(node)
  }
}

function update(node: Form): void {
  node.changed = true
  RED.nodes.updateConfigNodeUsers(node)
  RED.editor.validateNode(node)
}
