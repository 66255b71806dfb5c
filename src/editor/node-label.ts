import { needsMessage } from '../shared/action-schemas'
import { REPORT_EVERY } from '../shared/report-schema'
import { formatTyped } from './duration-field'
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

/** When a node works by itself, such as *every 1 min*; nothing if only a message triggers it. */
function describeTrigger(node: Form): string[] {
  if (needsMessage(node)) return []
  if (Number(node.repeat) > 0)
    return [translate('summary.every', { time: formatTyped(String(node.repeat), 's') })]
  const every = REPORT_EVERY.find((one) => one === node.every)
  return every ? [translate(`report.${every}`)] : []
}

/** The label of a node. Without a name, it is the node's type, `what`, its chosen devices, and when it works by itself. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const facts = [...countChosen(node), ...describeTrigger(node)]
  return facts.length > 0 ? translate('summary.node', { what, facts: enumerated(facts) }) : what
}
