import { createHash } from 'node:crypto'
import { measured, yieldIfDue } from '../cooperative'
import type { IncrementalArrayParser } from '../decode/incremental-array-parser'
import { MAX_SINGLE_PARSE_BYTES, type ResponseBody } from '../decode/response-decoder'
import { EnvlogError } from '../errors'

/** The largest body that is accepted. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024
/** As much as is kept of an error response: no error object is longer. */
export const MAX_ERROR_BYTES = 64 * 1024

/**
 * Smaller chunks are joined before they are kept: a buffer for each single byte would take a hundred times its size.
 */
const MIN_CHUNK_BYTES = 4096

interface BodyOptions {
  /** Receives the chunks while they arrive. */
  parser?: IncrementalArrayParser | undefined
  maxBytes?: number
  /** Only about so many bytes at the beginning are kept for `text`; the others are read and dropped. */
  keepBytes?: number
  /** Makes a digest of the body; one with the digest `known` is not parsed. */
  compare?: Comparison | undefined
}

/** With which answer another is compared, to recognize an equal one before it is parsed. */
export interface Comparison {
  /** Its digest; left out where there is none yet. */
  known?: string | undefined
}

/** A body as it has arrived, with its digest where it was to be compared. */
export interface ReceivedBody extends ResponseBody {
  digest?: string
}

/**
 * Reads a body to its end. If it throws, the connection that the chunks come from is closed.
 * @param onActivity called for each chunk, before it is read, and again before it is parsed later
 * @throws EnvlogError `reply-too-large` above `maxBytes`; what `chunks` and the parser throw
 */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  onActivity: () => void,
  { parser, maxBytes = MAX_BODY_BYTES, keepBytes = maxBytes, compare }: BodyOptions = {},
): Promise<ReceivedBody> {
  const kept: Uint8Array[] = []
  let bytes = 0
  const checkSize = (limit: number) => {
    if (bytes > limit) throw new EnvlogError('reply-too-large', { megabytes: Math.floor(limit / 2 ** 20) })
  }
  async function parse(chunk: Uint8Array): Promise<void> {
    if (!parser) return
    measured(() => parser.push(chunk))
    // A fast network delivers megabytes without a break.
    await yieldIfDue()
  }
  async function consume(chunk: Uint8Array): Promise<void> {
    if (bytes <= keepBytes) kept.push(chunk)
    if (!compare) await parse(chunk)
  }
  const buffer = createChunkBuffer()
  for await (const chunk of chunks) {
    onActivity()
    bytes += chunk.length
    checkSize(maxBytes)
    if (!buffer.hasRoomFor(chunk)) for (const joined of buffer.flush()) await consume(joined)
    if (chunk.length < MIN_CHUNK_BYTES) buffer.add(chunk)
    else await consume(chunk)
  }
  for (const joined of buffer.flush()) await consume(joined)
  // Answers to many nodes may arrive at once.
  await yieldIfDue()
  const text = (limit = maxBytes) => {
    checkSize(limit)
    return Buffer.concat(kept).toString('utf8')
  }
  if (!compare) return { text, remainder: parser?.end() }
  // A longer one could not be decoded later, from its text.
  const digest = bytes > MAX_SINGLE_PARSE_BYTES ? undefined : digestOf(kept)
  if (digest !== undefined && digest === compare.known) return { text, remainder: undefined, digest }
  for (const chunk of kept) {
    onActivity()
    await parse(chunk)
  }
  return { text, remainder: parser?.end(), ...(digest !== undefined && { digest }) }
}

function digestOf(chunks: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('base64')
}

/** Joins small chunks to one of up to `MIN_CHUNK_BYTES`. */
function createChunkBuffer() {
  let joined = Buffer.alloc(0)
  let filled = 0
  return {
    hasRoomFor: (chunk: Uint8Array) => filled + chunk.length <= MIN_CHUNK_BYTES,
    add(chunk: Uint8Array): void {
      if (filled === 0) joined = Buffer.allocUnsafe(MIN_CHUNK_BYTES)
      joined.set(chunk, filled)
      filled += chunk.length
    },
    /** Removes what was added: one chunk, or none. */
    flush(): Uint8Array[] {
      const chunk = joined.subarray(0, filled)
      filled = 0
      return chunk.length === 0 ? [] : [chunk]
    },
  }
}
