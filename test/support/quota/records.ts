import { setupAnswered } from './quota'

/** An hour and its margin, ms. */
export const RECORDS_OCCUPIED_MS = 3_601_000

export const data = (device: string, wanted: number, minimum = 1000) => ({
  endpoint: 'data' as const,
  device,
  wanted,
  minimum,
})

export const setupRecords = () => setupAnswered({}, ['data', 'data-relay'])
type Setup = Awaited<ReturnType<typeof setupRecords>>

/** Requests records of a device, and answers with the result. */
export async function requestRecords(
  { submit, clock, service }: Setup,
  device: string,
  wanted: number,
  result: object,
) {
  submit(`${device} ${clock.now()} ${service.sent.length}`, data(device, wanted))
  await clock.settle()
  const sent = service.sent.at(-1)
  sent?.answer(result)
  await clock.settle()
  return sent?.number
}
