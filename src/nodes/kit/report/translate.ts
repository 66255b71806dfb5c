import type { NodeAPI } from 'node-red'

/**
 * Translates a key of the nodes' catalog to the language of Node-RED. Texts such as `__value__`, the name of a device, are
 * inserted afterwards: i18next would take it for the place of the value.
 */
export function translate(RED: NodeAPI, key: string, params: object = {}): string {
  const texts = Object.entries(params).filter(
    ([, value]) => typeof value === 'string' && value.includes('__'),
  )
  const marks = texts.map(([name], index) => [name, `\0${index}\0`])
  const sentence = RED._(key, { ...params, ...Object.fromEntries(marks) } as never)
  return texts.reduce((text, [, value], index) => text.replaceAll(`\0${index}\0`, () => value), sentence)
}
