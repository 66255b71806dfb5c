import { readSentinels } from '../../../shared/account'
import { secretsGuard } from '../../api/redact'

/** Longest time between two tries to connect. */
const RECONNECT_MS = 1000
const CONNECT_MS = 5000
/** How long a new connection may take to be there, with its login, before another one is tried. */
const OPENING_MS = 8000
/** Tries of each address that fail before one says so; they go on. */
const MOST_FAILURES = 2
/** How often the sentinels are asked which server leads. */
const SCAN_MS = 2000

/** One way to a Redis. Where it fails, `code` of the error says why in a word. */
export interface Connection {
  /** Resolves when it can be used, never will, or the first tries have failed. */
  opened: Promise<void>
  run(script: string, keys: string[], argument: string): Promise<unknown>
  /** It was made just now and is not there yet. */
  isOpening(): boolean
  end(): void
}

/** Opens connections to a Redis, or to the one that its sentinels name. */
export function connectorTo(library: typeof import('redis'), address: string, password: string) {
  // What cannot be sent at once is for the fallback, not for later.
  const common = { disableOfflineQueue: true, ...(password ? { password } : {}) }
  const socket = {
    connectTimeout: CONNECT_MS,
    reconnectStrategy: (tries: number) => Math.min(RECONNECT_MS, 50 * 2 ** tries),
  }
  const sentinels = readSentinels(address)
  const guard = secretsGuard([password])

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
      scanInterval: SCAN_MS,
      maxCommandRediscovers: 1,
    })
  }

  return (): Connection => {
    const client = createClient()
    const since = performance.now()
    let isOver = false
    let wasThere = false
    let code: string | undefined
    let failures = 0
    let giveUp = () => {}
    const failed = new Promise<void>((resolve) => {
      giveUp = resolve
    })
    // Its words may hold the address's secrets, and whoever answers in its place may repeat the password as a code.
    const note = (error: unknown) => {
      // Where it only says that there is no connection, what ended the last one tells more.
      code = guard(codeOf(error) ?? '') || code || nameOf(error)
      if (++failures >= MOST_FAILURES * (sentinels?.nodes.length ?? 1)) giveUp()
    }
    client.on('error', note)
    const connected = client.connect().then(
      () => {
        wasThere = true
      },
      (error: unknown) => {
        isOver = true
        note(error)
      },
    )
    return {
      opened: Promise.race([connected, failed]),
      async run(script, keys, argument) {
        // Sentinels would be asked again and again meanwhile.
        if (!wasThere) throw away(code)
        try {
          const answer = await client.eval(script, { keys, arguments: [argument] })
          code = undefined
          return answer
        } catch (error) {
          note(error)
          throw away(code)
        }
      },
      isOpening: () => !isOver && !client.isReady && performance.now() - since < OPENING_MS,
      end() {
        isOver = true
        try {
          // It rejects, or throws, where it never was there.
          Promise.resolve(client.destroy()).catch(() => {})
        } catch {}
      },
    }
  }
}

const away = (code: string | undefined) =>
  Object.assign(new Error('The shared quota cannot be asked'), { code })

/** A network's or TLS's code, or the word that Redis begins its errors with. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error === 'string') return codeIn(error)
  const { code, message = '', cause } = error as { code?: unknown; message?: string; cause?: unknown }
  // A sentinel's client tells which server it was first.
  if (cause) return codeOf(cause)
  if (typeof code === 'string') return code
  // Older ones wrap the error of a script: `ERR Error running script …: -READONLY You can't write …`.
  const [, word] = /^(?:ERR .*: -)?([A-Z]{3,20})\b/.exec(message) ?? []
  return word
}

/** Of a sentinel's connection the client has words alone. */
function codeIn(words: string): string | undefined {
  const [code] = /\bE[A-Z]{4,20}\b/.exec(words) ?? []
  return code ?? (/certificate/i.test(words) ? 'CERTIFICATE' : undefined)
}

const nameOf = (error: unknown) => (error instanceof Error ? error.constructor.name : undefined)
