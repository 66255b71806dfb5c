import type { Form } from './red'

/** What a node does, where it has no name: `what` it is, and how many devices were chosen for it. */
export function nodeLabel(node: Form, what: string): string {
  if (node.name) return node.name
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  if (node.select === 'list') return node._('told.node-devices', { what, count: count(node.devices) })
  if (node.select === 'base') return node._('told.node-bases', { what, count: count(node.bases) })
  return what
}
