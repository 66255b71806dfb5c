import type { NodeAPI } from 'node-red'

/** Translates a key of the nodes' catalog to the language of Node-RED. */
export function translate(RED: NodeAPI, key: string, params: object = {}): string {
  return RED._(key, params as never)
}
