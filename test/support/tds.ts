/**
 * A stand-in for SQL Server, which cannot be installed here. It speaks as much TDS 7.4 as a driver needs to run statements
 * with text parameters, and runs them in SQLite: with another database's idea of types, and after `translated`. What it
 * takes proves what the flow and the driver do, not what SQL Server says to the statements.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { openSqlite, type Row } from './archive/sqlite'
import { HOST } from './server-process'

export interface TdsServer {
  port: number
  /** Ends all connections; what waits is never run or never answered. */
  stop(): Promise<void>
  startAgain(): Promise<void>
  /** For good, with its database. */
  end(): Promise<void>
  rows(sql: string): Promise<Row[]>
  /** From now on, statements with parameters wait there until what it gives is called. */
  hold(where: Place): () => void
  /** How many wait. */
  held(): number
}

type Place = 'before it runs' | 'before the answer'
type Parameters = Record<string, string>

export async function startTds(file: string): Promise<TdsServer> {
  const sqlite = await openSqlite(file)
  const sockets = new Set<Socket>()
  let server: Server
  let gate: { where: Place; opened: Promise<void> } | undefined
  let held = 0

  const pass = async (where: Place, socket: Socket) => {
    if (gate?.where === where) {
      held++
      await Promise.race([gate.opened, once(socket, 'close')])
      held--
    }
    if (socket.destroyed) throw new Error('the server has ended')
  }

  async function run(socket: Socket, statement: string, parameters: Parameters): Promise<void> {
    const waits = Object.keys(parameters).length > 0
    if (waits) await pass('before it runs', socket)
    await sqlite.run(translated(statement, parameters))
    if (waits) await pass('before the answer', socket)
  }

  function serve(socket: Socket): void {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    const answer = (...tokens: Buffer[]) => void (socket.destroyed || socket.write(packetsOf(tokens)))
    readMessages(socket, (type, body) => {
      if (type === PRELOGIN) answer(UNENCRYPTED)
      else if (type === LOGIN) answer(loginAcknowledged(), done(DONE))
      else if (type === CALL) {
        const { statement, parameters } = callIn(body)
        run(socket, statement, parameters).then(
          () => answer(done(DONE_CALL)),
          (error: Error) => answer(failed(error.message), done(DONE_CALL, FAILED)),
        )
      } else answer(done(DONE, type === ATTENTION ? CANCELLED : 0))
    })
  }

  const tds: TdsServer = {
    port: 0,
    async stop() {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
    async end() {
      await tds.stop()
      await sqlite.close()
    },
    async startAgain() {
      server = createServer(serve).listen(tds.port, HOST)
      await once(server, 'listening')
      tds.port = (server.address() as AddressInfo).port
    },
    rows: sqlite.rows,
    hold(where) {
      let open = () => {}
      gate = { where, opened: new Promise((resolve) => (open = resolve)) }
      return () => {
        gate = undefined
        open()
      }
    },
    held: () => held,
  }
  await tds.startAgain()
  return tds
}

/** T-SQL as SQLite says it: what the example has of it, and nothing more. */
function translated(statement: string, parameters: Parameters): string {
  return statement
    .replace(/^IF OBJECT_ID\('\w+'\) IS NULL\s+CREATE TABLE/, 'CREATE TABLE IF NOT EXISTS')
    .replace('WITH (IGNORE_DUP_KEY = ON)', 'ON CONFLICT IGNORE')
    .replaceAll('(MAX)', '')
    .replace("CAST(SWITCHOFFSET(time, '+00:00') AS DATETIME2(3))", 'time')
    .replace(/OPENJSON\((@\w+)\) WITH \((.*)\n\)/s, (_, name: string, columns: string) => {
      const fields = [...columns.matchAll(/(\w+) \S+ ('\$[^']*')/g)].map(
        ([, column, path]) => `json_extract(value, ${path}) AS ${column}`,
      )
      return `(SELECT ${fields} FROM json_each('${(parameters[name] ?? '').replaceAll("'", "''")}'))`
    })
}

// Kinds of messages and tokens, and bits of a status, as the protocol numbers them.
const [CALL, ANSWER, ATTENTION, LOGIN, PRELOGIN] = [3, 4, 6, 16, 18]
const [FAILURE, LOGGED_IN, DONE, DONE_CALL] = [0xaa, 0xad, 0xfd, 0xfe]
const [FAILED, CANCELLED] = [0x02, 0x20]
const NVARCHAR = 0xe7
const IN_CHUNKS = 0xffff
const HEADER = 8
const PACKET = 4096

function readMessages(socket: Socket, take: (type: number, body: Buffer) => void): void {
  let unread = Buffer.alloc(0)
  let bodies: Buffer[] = []
  socket.on('data', (piece) => {
    unread = Buffer.concat([unread, piece])
    while (unread.length >= HEADER && unread.length >= unread.readUInt16BE(2)) {
      const length = unread.readUInt16BE(2)
      const [type = 0, status = 0] = unread
      bodies.push(unread.subarray(HEADER, length))
      unread = unread.subarray(length)
      if (status % 2 === 0) continue
      const body = Buffer.concat(bodies)
      bodies = []
      take(type, body)
    }
  })
}

function packetsOf(tokens: readonly Buffer[]): Buffer {
  const body = Buffer.concat(tokens)
  const packets: Buffer[] = []
  for (let from = 0; from < body.length; from += PACKET - HEADER) {
    const piece = body.subarray(from, from + PACKET - HEADER)
    const isLast = from + piece.length === body.length
    const header = Buffer.from([ANSWER, Number(isLast), 0, 0, 0, 0, 1, 0])
    header.writeUInt16BE(HEADER + piece.length, 2)
    packets.push(header, piece)
  }
  return Buffer.concat(packets)
}

/** A statement and its parameters, all of them texts. */
function callIn(body: Buffer): { statement: string; parameters: Parameters } {
  // The headers before the call, the number of the procedure (sp_executesql) and its options.
  let at = body.readUInt32LE(0) + 6
  const take = (length: number) => {
    at += length
    return body.subarray(at - length, at)
  }
  const number = (bytes: number) => take(bytes).readUIntLE(0, bytes)
  const values: [name: string, value: string][] = []
  while (at < body.length) {
    const name = take(2 * number(1)).toString('utf16le')
    take(1)
    if (number(1) !== NVARCHAR) throw new Error(`${name} is no text`)
    const size = number(2)
    take(5)
    const pieces: Buffer[] = []
    if (size !== IN_CHUNKS) pieces.push(take(number(2)))
    else {
      take(8)
      for (let length = number(4); length > 0; length = number(4)) pieces.push(take(length))
    }
    values.push([name, Buffer.concat(pieces).toString('utf16le')])
  }
  // The second declares the others.
  const [[, statement = ''] = [], , ...others] = values
  return { statement, parameters: Object.fromEntries(others) }
}

/** Its version, and that it cannot encrypt. */
const UNENCRYPTED = Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2])

const text = (value: string) => Buffer.from(value, 'utf16le')
const shortText = (value: string) => Buffer.concat([Buffer.from([value.length]), text(value)])

function token(kind: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([kind, body.length % 256, body.length >> 8]), body])
}

function loginAcknowledged(): Buffer {
  const version = [1, 0x74, 0, 0, 4]
  return token(LOGGED_IN, Buffer.from(version), shortText('stand-in'), Buffer.from([16, 0, 0, 0]))
}

function failed(message: string): Buffer {
  // A number of its own, state 1, class 16: an error of whoever wrote the statement.
  const kind = Buffer.from([0x50, 0xc3, 0, 0, 1, 16, message.length % 256, message.length >> 8])
  return token(FAILURE, kind, text(message), shortText('stand-in'), shortText(''), Buffer.from([1, 0, 0, 0]))
}

function done(kind: number, status = 0): Buffer {
  return Buffer.from([kind, status, ...Array<number>(11).fill(0)])
}
