import { type Endpoint, type EndpointName, endpoints } from '../endpoints'
import {
  appendDevices,
  type CurrentEnvelope,
  checkDepth,
  type Envelope,
  readEnvelope,
  readGraphEnvelope,
} from './envelopes'
import { createIncrementalArrayParser, type IncrementalArrayParser } from './incremental-array-parser'
import { createRecordScanner } from './record-scanner'
import { appendRecords, createRecordTable } from './record-table'

/** One that can only be parsed at once: larger ones would stop the event loop for longer than 50 ms. */
export const MAX_SINGLE_PARSE_BYTES = 4 * 1024 * 1024

/** What has arrived of an answer. */
export interface ResponseBody {
  /** The whole of it (UTF-8). @throws EnvlogError `reply-too-large` above so many bytes */
  text(most?: number): string
  /** What is left of it without the elements that the slicer took. */
  rest: object | undefined
}

/** Takes one answer in: what it has thousands of is read while it arrives. */
export interface ResponseDecoder {
  /** Nothing for answers that are always short. */
  slicer: IncrementalArrayParser | undefined
  /** @throws EnvlogError as `readEnvelope` */
  read(body: ResponseBody): Envelope
}

export function createResponseDecoder(endpoint: EndpointName): ResponseDecoder {
  return intakes[endpoints[endpoint].answer](endpoint)
}

const intakes: Record<Endpoint['answer'], (endpoint: EndpointName) => ResponseDecoder> = {
  graph(endpoint) {
    const records = createRecordTable()
    const slicer = createIncrementalArrayParser(
      'data',
      (found) => appendRecords(records, found),
      createRecordScanner(records).scan,
    )
    return {
      slicer,
      read: ({ rest, text }) =>
        rest
          ? { ...readGraphEnvelope(checkDepth(rest)), records }
          : readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES)),
    }
  },

  current(endpoint) {
    const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
    const slicer = createIncrementalArrayParser('devices', (found) => appendDevices(envelope, found))
    return {
      slicer,
      read({ rest, text }) {
        if (!rest) return readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES))
        checkDepth(rest)
        return envelope
      },
    }
  },

  alert: (endpoint) => ({
    slicer: undefined,
    read: ({ text }) => readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES)),
  }),
}
