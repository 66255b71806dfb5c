/** A minimal fake of Node-RED's runtime, so that hundreds of thousands of triggers are fast. */

import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import type { Registry } from '../../../src/lib/registry'
import type { Message } from '../../support/flow-types'
import { root } from '../../support/package'
export type Config = Message & { id: string; type: string; credentials?: object }

export interface Failure extends Error {
  code: string
  cause: { status?: number; serial?: string; base?: string }
}

/** What a flow receives. */
export interface RuntimeListener {
  message(node: string, msg: Message): void
  /** A failure that a node reported with `node.error`, and its message. */
  error(node: string, error: Failure, msg: Message): void
  /** A trigger ended, successfully or with a failure. */
  done(node: string, error: Failure | undefined, msg: Message): void
}

export interface FakeRuntime {
  /** Closes all nodes, and creates those of the flow. */
  deploy(flow: readonly Config[]): Promise<void>
  receive(node: string, msg: Message): void
  /** Number of characters in all context stores. */
  storedCharacters(): number
  end(): Promise<void>
}

type Input = (msg: Message, send: (msg: Message) => void, done: (error?: Failure) => void) => void

type Constructor = (this: EventEmitter, config: Config) => void

/**
 * The built code, because the loader for the sources keeps each function's name as a property, which would affect the
 * heap.
 */
const built = require(join(root, 'dist/envlog.js')) as Built

type Built = { registry(): { registry: Registry }; (RED: NodeAPI): void }

export function startRuntime(listener: RuntimeListener): FakeRuntime {
  const { registry } = built.registry()
  const types = new Map<string, Constructor>()
  const nodes = new Map<string, EventEmitter & { receive(msg: Message): void }>()
  const contexts = new Map<string, Map<string, unknown>>()
  const RED = {
    settings: {},
    events: { on() {} },
    httpAdmin: { get() {}, post() {} },
    auth: { needsPermission: () => () => {} },
    util: { cloneMessage: structuredClone, generateId: () => 'id', getSetting: () => undefined },
    _: (key: string, params?: object) => `${key} ${params ? JSON.stringify(params) : ''}`,
    nodes: {
      createNode: addNodeMethods,
      registerType: (type: string, make: Constructor) => void types.set(type, make),
      getNode: (id: string) => nodes.get(id) ?? null,
      eachNode: (visit: (node: { id: string }) => void) => {
        for (const id of nodes.keys()) visit({ id })
      },
    },
  } as unknown as NodeAPI

  function addNodeMethods(node: EventEmitter, { id, type, credentials }: Config): void {
    const values = contexts.get(id) ?? new Map<string, unknown>()
    contexts.set(id, values)
    const send = (msg: Message) => listener.message(id, msg)
    const receive = (msg: Message) =>
      void setImmediate(() => {
        for (const handle of node.listeners('input') as Input[])
          handle(msg, send, (error) => listener.done(id, error, msg))
      })
    Object.assign(node, {
      id,
      type,
      credentials,
      receive,
      send,
      status() {},
      warn() {},
      error: (error: Failure, msg: Message) => listener.error(id, error, msg),
      context: () => ({
        get: (key: string, _store: unknown, done: (error: unknown, value: unknown) => void) =>
          done(null, values.get(key)),
        set: (key: string, value: unknown, _store: unknown, done: (error: unknown) => void) => {
          values.set(key, value)
          done(null)
        },
      }),
    })
  }

  async function close(): Promise<void> {
    for (const node of nodes.values()) {
      for (const handle of node.listeners('close')) {
        await new Promise<void>((resolve) => handle.call(node, false, resolve))
      }
    }
    nodes.clear()
  }

  registry.clear()
  built(RED)
  return {
    async deploy(flow) {
      await close()
      for (const config of flow) {
        const make = types.get(config.type)
        if (!make) throw new Error(`unknown node type ${config.type}`)
        const node = Object.assign(new EventEmitter(), { receive() {} })
        nodes.set(config.id, node)
        make.call(node, config)
      }
    },
    receive: (id, msg) => nodes.get(id)?.receive(msg),
    storedCharacters: () => JSON.stringify([...contexts.values()].map((values) => [...values])).length,
    async end() {
      await close()
      registry.clear()
    },
  }
}
