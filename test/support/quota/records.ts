import { known } from './quota'

/** An hour and its margin, ms. */
export const OCCUPIED_MS = 3_601_000

export const data = (device: string, wanted: number, minimum = 1000) => ({
  endpoint: 'data' as const,
  device,
  wanted,
  minimum,
})

export const setup = () => known({}, ['data', 'data-relay'])
type Setup = Awaited<ReturnType<typeof setup>>

/** Asks, and answers with so many records. */
export async function use({ ask, clock, service }: Setup, device: string, asked: number, came: object) {
  ask(`${device} ${clock.now()} ${service.sent.length}`, data(device, asked))
  await clock.settle()
  const sent = service.sent.at(-1)
  sent?.answer(came)
  await clock.settle()
  return sent?.number
}
