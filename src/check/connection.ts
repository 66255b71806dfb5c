import { channel } from 'node:diagnostics_channel'
import { lookup } from 'node:dns/promises'
import type { TLSSocket } from 'node:tls'
import { DAY_MS } from '../shared/local-clock'

/** Observes undici's connections and responses in this process. @returns a function that returns the findings so far */
export function watchConnection(baseUrl: string) {
  const { hostname } = new URL(baseUrl)
  /** Stays `null` without TLS, or if no connection was made. */
  let tls: { issuer: string; daysLeft: number } | null = null
  /** Stays `null` if no connection was made. */
  let usesProxy: boolean | null = null
  /** How far this machine's clock is ahead of the service's, in seconds; `null` if the service sent no date. */
  let clockDifference: number | null = null

  channel('undici:client:connected').subscribe((message) => {
    const { connectParams, socket } = message as {
      connectParams: { hostname?: string; host?: string }
      socket: Partial<TLSSocket>
    }
    usesProxy ||= (connectParams.hostname ?? connectParams.host) !== hostname
    const certificate = socket.encrypted ? socket.getPeerCertificate?.() : undefined
    if (!certificate?.valid_to || (connectParams.hostname ?? hostname) !== hostname) return
    const name = [certificate.issuer.O ?? certificate.issuer.CN ?? ''].flat()[0]
    const daysLeft = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS)
    tls = { issuer: String(name), daysLeft }
  })
  channel('undici:request:headers').subscribe((message) => {
    const { headers } = (message as { response: { headers: Uint8Array[] } }).response
    const names = headers.map((bytes) => String(bytes).toLowerCase())
    const sentAt = Date.parse(String(headers[names.indexOf('date') + 1] ?? ''))
    if (names.includes('date') && Number.isFinite(sentAt))
      clockDifference = Math.round((Date.now() - sentAt) / 1000)
  })
  return async () => {
    // Behind a proxy, the name often cannot be resolved.
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => null)
    return { addresses: addresses?.length ?? null, tls, usesProxy, clockDifference }
  }
}
