import { promisify } from 'node:util'
import { brotliDecompress, unzip } from 'node:zlib'
import { EnvlogError } from '../errors'
import type { HttpResponse } from './transport'

/** The largest accepted body, compressed or not. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

const tooLarge = () => new EnvlogError('response-too-large', { megabytes: MAX_BODY_BYTES / 2 ** 20 })

/**
 * Reads a complete body as UTF-8.
 * @param onActivity called for each chunk
 * @throws EnvlogError `response-too-large`, `response-compressed`; any error of `chunks`
 */
export async function readBody({ headers, chunks }: HttpResponse, onActivity: () => void): Promise<string> {
  // A single growing buffer, because a service may send every byte as a separate chunk.
  let buffer = Buffer.alloc(0)
  let length = 0
  for await (const chunk of chunks) {
    onActivity()
    const needed = length + chunk.length
    if (needed > MAX_BODY_BYTES) throw tooLarge()
    if (needed > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
    buffer.set(chunk, length)
    length = needed
  }
  const body = buffer.subarray(0, length)
  return (await decompress(body, headers['content-encoding'])).toString('utf8')
}

const DECOMPRESSORS = new Map([
  ['gzip', promisify(unzip)],
  ['deflate', promisify(unzip)],
  ['br', promisify(brotliDecompress)],
])

/** Requests ask for uncompressed responses, but some gateways compress them anyway. */
async function decompress(body: Buffer, header: string | string[] | undefined): Promise<Buffer> {
  const encoding = String(header ?? '')
    .trim()
    .toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const unreadable = new EnvlogError('response-compressed', {
    encoding: encoding.replace(/[^a-z0-9, -]/g, '').slice(0, 20),
  })
  const work = DECOMPRESSORS.get(encoding)
  if (!work) throw unreadable
  try {
    return await work(body, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : unreadable
  }
}
