import { EnvlogError } from '../errors'
import { turn, WORK_MS } from '../pace'
import type { Slicer } from './slices'

/** An answer above this many bytes is refused, not swallowed. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

/** What a network brings in smaller pieces is kept and read together: single bytes would cost a hundred times their size. */
const PIECE_BYTES = 4096

export interface Body {
  /** The whole of it (UTF-8). */
  text(): string
  /** What is left of it without the elements that the slicer took. */
  rest: object | undefined
}

/** Reads to the end. Stopping early closes the connection it comes from. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  alive: () => void,
  { slicer, most = MAX_BODY_BYTES }: { slicer?: Slicer | undefined; most?: number } = {},
): Promise<Body> {
  const parts: Uint8Array[] = []
  let bytes = 0
  /** Of the slicer since the last turn for others: a fast network brings megabytes in one. */
  let worked = 0
  const counted = async function* () {
    for await (const chunk of chunks) {
      alive()
      bytes += chunk.length
      if (bytes > most) throw new EnvlogError('reply-too-large', { megabytes: Math.floor(most / 2 ** 20) })
      yield chunk
    }
  }
  for await (const chunk of inPieces(counted())) {
    parts.push(chunk)
    if (!slicer) continue
    const before = performance.now()
    slicer.push(chunk)
    worked += performance.now() - before
    if (worked < WORK_MS) continue
    worked = 0
    await turn()
  }
  return { text: () => Buffer.concat(parts).toString('utf8'), rest: slicer?.end() }
}

async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let piece = Buffer.alloc(0)
  let filled = 0
  for await (const chunk of chunks) {
    if (filled > 0 && filled + chunk.length > PIECE_BYTES) {
      yield piece.subarray(0, filled)
      filled = 0
    }
    if (chunk.length >= PIECE_BYTES) {
      yield chunk
      continue
    }
    if (filled === 0) piece = Buffer.allocUnsafe(PIECE_BYTES)
    piece.set(chunk, filled)
    filled += chunk.length
  }
  if (filled > 0) yield piece.subarray(0, filled)
}
