import type { QuotaHeaders } from '../quota-headers'
import type { Subject } from '../readings/content'
import type { ServiceResponse } from '../request'
import { version } from '../version'
import type { Row } from './rows'

/** `msg.envlog`: information about the response (docs/messages.md). */
export interface MessageMetadata {
  node: 'current' | 'latest' | 'range' | 'alerts'
  /** The version of this package. */
  version: string
  /** The endpoint of the last response, to which `receivedAt` and `quota` belong. */
  endpoint: string
  account: string
  receivedAt: string
  quota: QuotaHeaders
  /** Present if the message is about a single device. */
  device?: { serial: string; name: string; base: string }
  /** The flat row for the value, for output *values*. */
  reading?: Row
  range?: { from: string; to: string }
  /** Older records or alerts were lost before they were requested. */
  overflow?: true
  /** The records were missing when newer ones were sent, so they are older than the last message. */
  backfill?: true
  /** Receivers return it once they have stored the records. Present if `advance` is `acknowledged`. */
  receipt?: string
}

/** Parts that only some messages have. */
interface MetadataDetails {
  subject?: Subject | undefined
  reading?: Row | undefined
  range?: MessageMetadata['range'] | undefined
  overflow?: boolean | undefined
  backfill?: boolean | undefined
  receipt?: string | undefined
}

export function createMetadata(
  node: MessageMetadata['node'],
  account: string,
  { endpoint, receivedAt: instant, quota }: Omit<ServiceResponse<unknown>, 'body'>,
  { subject, reading, range, overflow, backfill, receipt }: MetadataDetails,
): MessageMetadata {
  const receivedAt = new Date(instant).toISOString()
  const metadata: MessageMetadata = { node, version, endpoint, account, receivedAt, quota: { ...quota } }
  if (subject) metadata.device = { serial: subject.serial, name: subject.name, base: subject.base }
  if (reading) metadata.reading = reading
  if (range) metadata.range = { ...range }
  if (overflow) metadata.overflow = true
  if (backfill) metadata.backfill = true
  if (receipt !== undefined) metadata.receipt = receipt
  return metadata
}
