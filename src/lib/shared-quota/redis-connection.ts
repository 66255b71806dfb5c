import { type RedisAddress, readRedisAddress } from '../../shared/addresses'
import { EnvlogError } from '../errors'
import { Redactor, toOneLine } from '../redact'
import type { Connection } from './shared-quota'

/** Maximum delay between two connection attempts. `shared-quota.ts` tries to report at the same interval. */
const MAX_RECONNECT_MS = 1000
const CONNECT_TIMEOUT_MS = 5000
/** Maximum time until a new connection is usable, including login. */
const OPENING_MS = 8000
/** Interval at which the sentinels are asked for the primary. */
const SENTINEL_SCAN_MS = 2000

/**
 * Prepares connections to a Redis or Valkey server, or to the primary according to its sentinels. The client library is
 * optional, and is installed by users who share an account.
 * @param address a valid address
 * @param userDir Node-RED's user directory, if it has one
 * @returns a function that opens a connection
 * @throws EnvlogError `shared-client-missing`
 */
export function createConnector(
  address: string,
  password: string,
  userDir: string | undefined,
): () => Connection {
  const library = loadLibrary(userDir)
  const redactor = new Redactor([password])
  const read = readRedisAddress(address) as RedisAddress
  return () => {
    const client = createClient(library, read, password)
    const openedAt = performance.now()
    let wasConnected = false
    let code: string | undefined
    // Messages may contain secrets from the address, and a wrong server may send the password back as a code.
    const noteError = (error: unknown) => {
      // An error that only says that there is no connection must not replace the one that ended the connection.
      const name = error instanceof Error ? error.constructor.name : undefined
      // Secrets are removed before the text is shortened, because a part of one would not be recognized.
      code = redactor.guard(toOneLine(codeOf(error) ?? '')).slice(0, MAX_QUOTED) || code || name
    }
    const connected = client.connect().then(() => {
      wasConnected = true
    })
    connected.catch(noteError)
    // The library keeps trying, but a call fails once every server has failed, each sentinel twice.
    let failures = 0
    const failed = new Promise<never>((_, reject) => {
      client.on('error', (error) => {
        noteError(error)
        if (++failures >= (read.sentinelName === null ? 1 : 2 * read.hosts.length)) reject(error)
      })
    })
    failed.catch(() => {})
    return {
      async run(script, keys, argument) {
        try {
          // Before it is connected, the sentinel client would query the sentinels endlessly.
          if (!wasConnected) await Promise.race([connected, failed])
          const reply = await client.eval(script, { keys, arguments: [argument] })
          code = undefined
          return reply
        } catch (error) {
          noteError(error)
          throw Object.assign(new Error('Redis cannot be queried'), { code })
        }
      },
      isOpening: () => !wasConnected && performance.now() - openedAt < OPENING_MS,
      end() {
        try {
          // Rejects, or throws, if it was never connected.
          Promise.resolve(client.destroy()).catch(() => {})
        } catch {}
      },
    }
  }
}

function createClient(library: typeof import('redis'), address: RedisAddress, password: string) {
  const { hosts, isTls, username, database, sentinelName } = address
  const socket = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: (tries: number) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** tries),
    ...(isTls && { tls: true as const }),
  }
  const options = {
    // If a command cannot be sent now, it is handled locally, so it must not be sent later.
    disableOfflineQueue: true,
    database,
    ...(username && { username }),
    ...(password && { password }),
  }
  if (sentinelName === null) return library.createClient({ ...options, socket: { ...socket, ...hosts[0] } })
  return library.createSentinel({
    name: sentinelName,
    sentinelRootNodes: hosts,
    nodeClientOptions: { ...options, socket },
    // The client would wait forever for a sentinel that is connected but does not respond.
    sentinelClientOptions: { socket: { ...socket, socketTimeout: OPENING_MS } },
    passthroughClientErrorEvents: true,
    scanInterval: SENTINEL_SCAN_MS,
    maxCommandRediscovers: 1,
  })
}

/** Maximum length of a quoted Redis error. */
const MAX_QUOTED = 120

/** The code of a network or TLS error, or the first word of a Redis error; the whole text if that says nothing. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error === 'string') {
    // The sentinel client reports some errors of its connections as text.
    const [code] = /\bE[A-Z]{4,20}\b/.exec(error) ?? []
    return code ?? (/certificate/i.test(error) ? 'CERTIFICATE' : undefined)
  }
  const { code, message = '', cause } = error as { code?: unknown; message?: string; cause?: unknown }
  // The sentinel client wraps the error of a server.
  if (cause) return codeOf(cause)
  if (typeof code === 'string') return code
  // Older servers wrap the error of a script: `ERR Error running script …: -READONLY You can't write …`.
  const [, word] = /^(?:ERR .*: -)?([A-Z]{3,20})\b/.exec(message) ?? []
  // This word means any other error. The arguments of a command may contain the password.
  return word === 'ERR' ? message.replace(/, with args.*| script: .*/s, '') : word
}

/** Users install it in the user directory, also if this package is elsewhere, as in an image. */
function loadLibrary(userDir: string | undefined): typeof import('redis') {
  const paths = [...(userDir ? [userDir] : []), __dirname]
  try {
    return require(require.resolve('redis', { paths }))
  } catch {
    throw new EnvlogError('shared-client-missing')
  }
}
