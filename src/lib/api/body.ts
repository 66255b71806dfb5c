import type { IncrementalArrayParser } from '../decode/incremental-array-parser'
import type { ResponseBody } from '../decode/response-decoder'
import { EnvlogError } from '../errors'
import { turn, WORK_MS } from '../pace'

/** An answer above this many bytes is refused, not swallowed. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Of an answer that only tells what failed: no error object is longer. */
export const MAX_ERROR_BYTES = 64 * 1024

/** What a network brings in smaller pieces is kept and read together: single bytes would cost a hundred times their size. */
const PIECE_BYTES = 4096

/**
 * Reads to the end. Stopping early closes the connection it comes from.
 * @param kept bytes at its beginning; the rest is read and thrown away
 */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  alive: () => void,
  {
    slicer,
    most = MAX_BODY_BYTES,
    kept = most,
  }: { slicer?: IncrementalArrayParser | undefined; most?: number; kept?: number } = {},
): Promise<ResponseBody> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const checkSize = (most: number) => {
    if (bytes > most) throw new EnvlogError('reply-too-large', { megabytes: Math.floor(most / 2 ** 20) })
  }
  /** Of the slicer since the last turn for others: a fast network brings megabytes in one. */
  let worked = 0
  async function take(piece: Uint8Array): Promise<void> {
    if (bytes <= kept) parts.push(piece)
    if (!slicer) return
    const before = performance.now()
    slicer.push(piece)
    worked += performance.now() - before
    if (worked < WORK_MS) return
    worked = 0
    await turn()
  }
  const small = createPiece()
  for await (const chunk of chunks) {
    alive()
    bytes += chunk.length
    checkSize(most)
    if (!small.fits(chunk)) for (const piece of small.flush()) await take(piece)
    if (chunk.length < PIECE_BYTES) small.add(chunk)
    else await take(chunk)
  }
  for (const piece of small.flush()) await take(piece)
  return {
    text(atOnce = most) {
      checkSize(atOnce)
      return Buffer.concat(parts).toString('utf8')
    },
    rest: slicer?.end(),
  }
}

/** Chunks that are too small to be kept by themselves. */
function createPiece() {
  let bytes = Buffer.alloc(0)
  let filled = 0
  return {
    fits: (chunk: Uint8Array) => filled + chunk.length <= PIECE_BYTES,
    add(chunk: Uint8Array): void {
      if (filled === 0) bytes = Buffer.allocUnsafe(PIECE_BYTES)
      bytes.set(chunk, filled)
      filled += chunk.length
    },
    /** What there is, once. */
    flush(): Uint8Array[] {
      const piece = bytes.subarray(0, filled)
      filled = 0
      return piece.length === 0 ? [] : [piece]
    },
  }
}
