import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { lookup } from 'node:dns/promises'
import type { TLSSocket } from 'node:tls'
import type { HttpResponse, Transport } from '../lib/api/transport'

/** What is known of the way to the service. */
export interface Connection {
  /** How many addresses its name has; `null` where it could not be resolved, which behind a proxy is normal. */
  addresses: number | null
  /** `null` without TLS, or where no connection was made. */
  tls: { issuer: string; daysLeft: number } | null
  /** `null` where no connection was made. */
  usesProxy: boolean | null
  /** How far the clock of this machine is ahead of the service's, in seconds; `null` where it sent no date. */
  clockDifference: number | null
}

interface ConnectedMessage {
  connectParams: { hostname?: string; host?: string }
  socket: Partial<TLSSocket>
}

const DAY_MS = 86_400_000
const CONNECTED = 'undici:client:connected'

/** Watches the connections and responses of a transport. */
export function watchConnection(inner: Transport, baseUrl: string) {
  const { hostname } = new URL(baseUrl)
  const found: Connection = { addresses: null, tls: null, usesProxy: null, clockDifference: null }
  let lastHeaders: HttpResponse['headers'] | undefined

  const onConnected = (message: unknown) => {
    const { connectParams, socket } = message as ConnectedMessage
    const isDirect = (connectParams.hostname ?? connectParams.host) === hostname
    found.usesProxy = found.usesProxy === true || !isDirect
    const certificate = socket.encrypted ? socket.getPeerCertificate?.() : undefined
    if (!certificate?.valid_to || (connectParams.hostname ?? hostname) !== hostname) return
    const { issuer, valid_to: validTo } = certificate
    const name = issuer.O ?? issuer.CN ?? ''
    found.tls = {
      issuer: String(Array.isArray(name) ? name[0] : name),
      daysLeft: Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS),
    }
  }

  const transport: Transport = {
    async send(request) {
      const response = await inner.send(request)
      lastHeaders = response.headers
      const sentAt = Date.parse(String(response.headers.date ?? ''))
      if (Number.isFinite(sentAt)) found.clockDifference = Math.round((Date.now() - sentAt) / 1000)
      return response
    },
    close: () => inner.close(),
  }

  subscribe(CONNECTED, onConnected)
  return {
    transport,
    lastHeaders: () => lastHeaders,
    async read(): Promise<Connection> {
      unsubscribe(CONNECTED, onConnected)
      const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => null)
      return { ...found, addresses: addresses?.length ?? null }
    },
  }
}
