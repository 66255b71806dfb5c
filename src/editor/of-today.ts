import type { ActionType } from '../shared/action'
import { migrate, VERSION, versionOf } from '../shared/versions'
import type { Form } from './red'

/** A node as forms and labels show it: what an older version saved means what it meant; of a newer one it is left as it is. */
export function ofToday(node: Form): Readonly<Record<string, unknown>> {
  return migrate(node.type as ActionType, { ...node }, versionOf({ ...node }) ?? VERSION)
}
