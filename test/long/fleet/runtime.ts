/** A minimal fake of Node-RED's runtime, so that hundreds of thousands of triggers are fast. */

import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import type { Message } from '../../support/flow-types'
import { root } from '../../support/package'

export type Config = Message & { id: string; type: string; credentials?: object }

type Input = (msg: Message, send: (msg: Message) => void, done: () => void) => void

/**
 * The built code, because the loader for the sources keeps each function's name as a property, which would affect the
 * heap.
 */
const registerNodes: (RED: NodeAPI) => void = require(join(root, 'dist/envlog.js'))

export class FakeRuntime {
  readonly #types = new Map<string, (this: EventEmitter, config: Config) => void>()
  readonly #nodes = new Map<string, EventEmitter & { receive(msg: Message): void }>()
  readonly #contexts = new Map<string, Map<string, unknown>>()

  /** @param receive takes the messages that a node sends */
  constructor(private readonly receive: (node: string, msg: Message) => void) {
    registerNodes({
      settings: {},
      events: { on() {} },
      httpAdmin: { get() {}, post() {} },
      auth: { needsPermission: () => () => {} },
      util: { cloneMessage: structuredClone, generateId: () => 'id', getSetting: () => undefined },
      _: (key: string) => key,
      nodes: {
        createNode: (node: EventEmitter, config: Config) => this.#addNodeMethods(node, config),
        registerType: (type: string, make: () => void) => void this.#types.set(type, make),
        getNode: (id: string) => this.#nodes.get(id) ?? null,
        eachNode: (visit: (node: { id: string }) => void) => {
          for (const id of this.#nodes.keys()) visit({ id })
        },
      },
    } as unknown as NodeAPI)
  }

  #addNodeMethods(node: EventEmitter, { id, type, credentials }: Config): void {
    const values = this.#contexts.get(id) ?? new Map<string, unknown>()
    this.#contexts.set(id, values)
    const send = (msg: Message) => this.receive(id, msg)
    const receive = (msg: Message) =>
      void setImmediate(() => {
        for (const handle of node.listeners('input') as Input[]) handle(msg, send, () => {})
      })
    const context = {
      get: (key: string, _store: unknown, done: (error: unknown, value: unknown) => void) =>
        done(null, values.get(key)),
      set: (key: string, value: unknown, _store: unknown, done: (error: unknown) => void) => {
        values.set(key, value)
        done(null)
      },
    }
    const silent = { status() {}, warn() {}, error() {} }
    Object.assign(node, { id, type, credentials, receive, send, context: () => context, ...silent })
  }

  /** Closes all nodes, and creates those of the flow. */
  async deploy(flow: readonly Config[]): Promise<void> {
    for (const node of this.#nodes.values())
      for (const handle of node.listeners('close'))
        await new Promise<void>((resolve) => handle.call(node, false, resolve))
    this.#nodes.clear()
    for (const config of flow) {
      const node = Object.assign(new EventEmitter(), { receive() {} })
      this.#nodes.set(config.id, node)
      this.#types.get(config.type)?.call(node, config)
    }
  }

  send(node: string, msg: Message): void {
    this.#nodes.get(node)?.receive(msg)
  }

  /** Number of characters in all context stores. */
  storedCharacters(): number {
    return JSON.stringify([...this.#contexts.values()].map((values) => [...values])).length
  }
}
