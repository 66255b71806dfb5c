import { readSentinels } from '../../../shared/account'
import { createSecretGuard } from '../../api/redact'

/** Longest time between two attempts of the library to connect. */
const MAX_RECONNECT_MS = 1000
const CONNECT_TIMEOUT_MS = 5000
/** How long a new connection may take until it is usable, login included, before another one is opened. */
const OPENING_MS = 8000
/** Failed attempts per address before `opened` resolves all the same; further attempts follow. */
const MAX_FAILURES = 2
/** Interval in ms at which the sentinels are queried for the leader. */
const SENTINEL_SCAN_MS = 2000

/** A connection to a Redis. If it fails, `code` of the error says why in a word. */
export interface Connection {
  /** Resolves when the connection is usable, when it never will be, or when the first attempts have failed. */
  opened: Promise<void>
  run(script: string, keys: string[], argument: string): Promise<unknown>
  /** True while it was opened a moment ago and is not usable yet. */
  isOpening(): boolean
  end(): void
}

/** Opens connections to a Redis, or to the one that its sentinels name. */
export function createConnector(
  library: typeof import('redis'),
  address: string,
  password: string,
): () => Connection {
  // A command that cannot be sent now is handled without the store, and must not be sent later.
  const common = { disableOfflineQueue: true, ...(password ? { password } : {}) }
  const socket = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: (tries: number) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** tries),
  }
  const sentinels = readSentinels(address)
  const guard = createSecretGuard([password])

  function createClient() {
    if (!sentinels) return library.createClient({ url: address, ...common, socket })
    const { nodes, name, isTls, username, database } = sentinels
    const encrypted = isTls ? { ...socket, tls: true as const } : socket
    return library.createSentinel({
      name,
      sentinelRootNodes: nodes,
      nodeClientOptions: { ...common, ...(username ? { username } : {}), database, socket: encrypted },
      sentinelClientOptions: { socket: encrypted },
      passthroughClientErrorEvents: true,
      scanInterval: SENTINEL_SCAN_MS,
      maxCommandRediscovers: 1,
    })
  }

  return () => {
    const client = createClient()
    const openedAt = performance.now()
    let isOver = false
    let wasConnected = false
    let code: string | undefined
    let failures = 0
    let giveUp = () => {}
    const failed = new Promise<void>((resolve) => {
      giveUp = resolve
    })
    // Messages may contain secrets of the address, and a wrong server may send the password back as a code.
    const onError = (error: unknown) => {
      // An error that says only that there is no connection says less than the one that ended it.
      code = guard(codeOf(error) ?? '') || code || classOf(error)
      if (++failures >= MAX_FAILURES * (sentinels?.nodes.length ?? 1)) giveUp()
    }
    client.on('error', onError)
    const connected = client.connect().then(
      () => {
        wasConnected = true
      },
      (error: unknown) => {
        isOver = true
        onError(error)
      },
    )
    return {
      opened: Promise.race([connected, failed]),
      async run(script, keys, argument) {
        // The library would ask the sentinels again and again meanwhile.
        if (!wasConnected) throw createError(code)
        try {
          const reply = await client.eval(script, { keys, arguments: [argument] })
          code = undefined
          return reply
        } catch (error) {
          onError(error)
          throw createError(code)
        }
      },
      isOpening: () => !isOver && !client.isReady && performance.now() - openedAt < OPENING_MS,
      end() {
        isOver = true
        try {
          // It rejects, or throws, if it was never connected.
          Promise.resolve(client.destroy()).catch(() => {})
        } catch {}
      },
    }
  }
}

const createError = (code: string | undefined) =>
  Object.assign(new Error('The shared quota cannot be asked'), { code })

/** The code of a network or TLS error, or the word that an error of Redis begins with. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error === 'string') return findCode(error)
  const { code, message = '', cause } = error as { code?: unknown; message?: string; cause?: unknown }
  // The sentinel client wraps the error of a server.
  if (cause) return codeOf(cause)
  if (typeof code === 'string') return code
  // Older servers wrap the error of a script: `ERR Error running script …: -READONLY You can't write …`.
  const [, word] = /^(?:ERR .*: -)?([A-Z]{3,20})\b/.exec(message) ?? []
  return word
}

/** The sentinel client reports some errors of its connections as text. */
function findCode(text: string): string | undefined {
  const [code] = /\bE[A-Z]{4,20}\b/.exec(text) ?? []
  return code ?? (/certificate/i.test(text) ? 'CERTIFICATE' : undefined)
}

const classOf = (error: unknown) => (error instanceof Error ? error.constructor.name : undefined)
