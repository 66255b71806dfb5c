import { enumerated, type Form, listOf, translate } from './red'

/** The lists that a selection of devices consists of. */
const LISTS: Record<string, readonly string[]> = {
  list: ['devices', 'bases'],
  base: ['bases'],
  group: ['groups'],
}

/** The number of chosen items of each kind, such as *3 devices*. */
export const countChosen = (node: Readonly<Record<string, unknown>>): string[] =>
  (LISTS[String(node.select)] ?? []).flatMap((name) => {
    const count = listOf(node[name]).length
    return count > 0 ? translate(`summary.${name}`, { count }) : []
  })

/** The label of a node. Without a name, it is the node's type, `what`, and the number of chosen devices. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const chosen = countChosen(node)
  return chosen.length > 0 ? translate('summary.node', { what, chosen: enumerated(chosen) }) : what
}
