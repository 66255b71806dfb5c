import { enumerated, type Form } from './red'
import { listOf } from './request-budget'

/** The lists that a selection of devices consists of. */
const LISTS: Record<string, readonly string[]> = {
  list: ['devices', 'bases'],
  base: ['bases'],
  group: ['groups'],
}

/** The label of a node. Without a name, it is the node's type, `what`, and the number of chosen devices. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const chosen = (LISTS[String(node.select)] ?? []).flatMap((name) => {
    const count = listOf(node[name]).length
    return count > 0 ? node._(`summary.${name}`, { count }) : []
  })
  return chosen.length > 0 ? node._('summary.node', { what, chosen: enumerated(chosen) }) : what
}
