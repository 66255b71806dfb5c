import type { Form } from './red'

/** What a node does, where it has no name: `what` it is, and how many devices were chosen for it. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  const devices = () => node._('told.node-devices', { what, count: count(node.devices) })
  const bases = () => node._('told.node-bases', { what, count: count(node.bases) })
  if (node.select === 'list') {
    if (count(node.bases) === 0) return devices()
    if (count(node.devices) === 0) return bases()
    return node._('told.node-and-bases', { what: devices(), count: count(node.bases) })
  }
  if (node.select === 'base') return bases()
  if (node.select === 'group') return node._('told.node-groups', { what, count: count(node.groups) })
  return what
}
