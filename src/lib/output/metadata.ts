import type { QuotaHeaders } from '../quota/headers'
import type { Subject } from '../readings/content'
import type { ServiceResponse } from '../request'
import type { Row } from './rows'

/** `msg.envlog`: information about the response (docs/messages.md). */
export interface MessageMetadata {
  node: 'current' | 'latest' | 'range' | 'alerts'
  /** The endpoint of the last response; `receivedAt` and `quota` belong to that response. */
  endpoint: string
  account: string
  receivedAt: string
  quota: QuotaHeaders
  /** If the message is about one device. */
  device?: { serial: string; name: string; base: string }
  /** Output *values*: the flat row for that value. */
  reading?: Row
  range?: { from: string; to: string }
  /** Older records or alerts were lost before they were requested. */
  overflow?: true
  /** To be returned once the records are stored, if `advance` is `acknowledged`. */
  receipt?: string
}

/** Parts that only some messages have. */
interface MetadataDetails {
  subject?: Subject | undefined
  reading?: Row | undefined
  range?: MessageMetadata['range'] | undefined
  overflow?: boolean | undefined
  receipt?: string | undefined
}

export function createMetadata(
  node: MessageMetadata['node'],
  account: string,
  { endpoint, receivedAt: instant, quota }: Omit<ServiceResponse<unknown>, 'body'>,
  { subject, reading, range, overflow, receipt }: MetadataDetails,
): MessageMetadata {
  const receivedAt = new Date(instant).toISOString()
  const metadata: MessageMetadata = { node, endpoint, account, receivedAt, quota: { ...quota } }
  if (subject) metadata.device = { serial: subject.serial, name: subject.name, base: subject.base }
  if (reading) metadata.reading = reading
  if (range) metadata.range = { ...range }
  if (overflow) metadata.overflow = true
  if (receipt !== undefined) metadata.receipt = receipt
  return metadata
}
