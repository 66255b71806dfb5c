import { EnvlogError } from '../errors'

/** An answer above this many bytes is refused, not swallowed. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The whole body as text (UTF-8). Stopping early closes the connection it comes from. */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  alive: () => void,
  most = MAX_BODY_BYTES,
): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    alive()
    bytes += chunk.length
    if (bytes > most) throw new EnvlogError('reply-too-large', { megabytes: Math.floor(most / 2 ** 20) })
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Text without the byte order mark that some put before it. */
export function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
