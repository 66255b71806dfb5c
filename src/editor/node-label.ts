import type { Form } from './red'

/** The label of a node without a name: its kind, `what`, and the number of chosen devices. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const { select, devices: single, bases: units, groups } = node
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  const devices = () => node._('summary.node-devices', { what, count: count(single) })
  const bases = () => node._('summary.node-bases', { what, count: count(units) })
  if (select === 'list') {
    if (count(units) === 0) return devices()
    if (count(single) === 0) return bases()
    return node._('summary.node-and-bases', { what: devices(), count: count(units) })
  }
  if (select === 'base') return bases()
  if (select === 'group') return node._('summary.node-groups', { what, count: count(groups) })
  return what
}
