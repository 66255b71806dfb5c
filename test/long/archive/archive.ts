/**
 * An archive to which a flow posts rows, like a database: each post is stored completely or not at all, and confirmed
 * only if stored.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Random } from '../../support/chance'
import { until } from '../../support/wait'
import type { Lines } from './fleet'

type Table = 'records' | 'alerts'

/** A row of the output *rows*; records have a channel and a value or an error, alerts a source and a text. */
type Row = Record<
  'base' | 'serial' | 'time' | 'channel' | 'dataid' | 'value' | 'error' | 'source' | 'text',
  string | number | undefined
>

interface Stored {
  table: Table
  row: Row
  /** Increases with each message that the flow has sent. */
  order: number
}

export interface Archive {
  /** The base address; the name of the table follows it. */
  url: string
  /** The stored lines by device, in the order in which the flow sent them. */
  linesOf(table: Table): Lines
  /** Number of rows. */
  size(): number
  /** `unresponsive`: nothing is stored. `lossy`: at random, a post is not stored, or is stored but not confirmed. */
  state: 'calm' | 'unresponsive' | 'lossy'
  close(): Promise<void>
}

/** Longer than any delay before the next request. */
const STANDSTILL_MS = 60_000
const LOSS = 0.2

/** Distinguishes rows like the key of a database. */
const keyOf = ({ base, serial, channel, source, time, text }: Row): string =>
  JSON.stringify([base, serial, channel ?? source, time, text])

const lineOf = ({ time, channel, dataid, value, error, source, text }: Row): string =>
  source ? `${time} ${source} ${text}` : `${time} ch${channel} ${dataid} ${value ?? error}`

export async function startArchive(random: Random): Promise<Archive> {
  const stored = new Map<string, Stored>()

  const server = createServer(async (request, response) => {
    // If the body is incomplete, the sender was killed.
    const rows = await json(request).catch(() => undefined)
    if (rows === undefined) return
    const { state } = archive
    const isLost = () => state === 'unresponsive' || (state === 'lossy' && random.next() < LOSS)
    const table = (request.url ?? '').slice(1) as Table
    const isStored = !isLost()
    const order = Number(request.headers.order)
    for (const row of isStored ? (rows as Row[]) : []) {
      const key = keyOf(row)
      if (!stored.has(key)) stored.set(key, { table, row, order })
    }
    // A keep-alive connection may end just when it is used again: the http request node would lose the row.
    response.setHeader('connection', 'close')
    // The http request node passes messages on for any status, but not without a response.
    if (isStored && !isLost()) response.end()
    else response.destroy()
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const archive: Archive = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    linesOf(wanted) {
      const lines: Lines = {}
      for (const { table, row } of [...stored.values()].toSorted((a, b) => a.order - b.order)) {
        if (table !== wanted) continue
        const device = `${row.base}/${row.serial}`
        lines[device] ??= []
        lines[device].push(lineOf(row))
      }
      return lines
    },
    size: () => stored.size,
    state: 'calm',
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return archive
}

/** Resolves when it has the given number of rows, or when no more are added because some were lost. */
export async function whenCollected(archive: Archive, rows: number, deadline: number): Promise<void> {
  let size = -1
  let since = 0
  await until(
    'everything is collected',
    () => {
      if (archive.size() !== size) since = performance.now()
      size = archive.size()
      return size >= rows || performance.now() - since > STANDSTILL_MS
    },
    deadline,
  )
}
