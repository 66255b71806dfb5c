import { type Endpoint, type EndpointName, endpoints, type OutputType } from '../endpoints'
import {
  appendDevices,
  type CurrentEnvelope,
  checkDepth,
  type Envelope,
  readCsv,
  readEnvelope,
  readGraphEnvelope,
  readJson,
} from './envelopes'
import { createIncrementalArrayParser, type IncrementalArrayParser } from './incremental-array-parser'
import { createRecordScanner } from './record-scanner'
import { appendRecords, createRecordTable } from './record-table'

/** The longest answer that is parsed in one go: a longer one would block the event loop for more than 50 ms. */
export const MAX_SINGLE_PARSE_BYTES = 4 * 1024 * 1024

/** The body of a response that has arrived as a whole. */
export interface ResponseBody {
  /** All of it, as UTF-8. @throws EnvlogError `reply-too-large` above `maxBytes` */
  text(maxBytes?: number): string
  /** What the incremental parser left: the answer with an empty array; `undefined` where `text` has to be decoded. */
  remainder: object | undefined
}

/** Decodes one response. Records and devices are decoded while they arrive. */
export interface ResponseDecoder<T> {
  /** Takes the chunks of the response; `undefined` for answers that are always short. */
  parser: IncrementalArrayParser | undefined
  /**
   * @throws EnvlogError those of `readEnvelope`, `readJson` or `readCsv`; `reply-too-large` if it is too long for one
   * parse
   */
  decode(body: ResponseBody): T
}

/** Creates the decoder for one response of an endpoint. */
export function createResponseDecoder(endpoint: EndpointName): ResponseDecoder<Envelope> {
  return decoders[endpoints[endpoint].answer](endpoint)
}

/** Creates the decoder for one answer that is passed on unchanged: a JSON object, or the text of CSV. */
export function createRawDecoder(type: OutputType): ResponseDecoder<object | string> {
  return {
    parser: undefined,
    decode: ({ text }) => (type === 'json' ? readJson(text()) : readCsv(text())),
  }
}

const decoders: Record<Endpoint['answer'], (endpoint: EndpointName) => ResponseDecoder<Envelope>> = {
  graph(endpoint) {
    const records = createRecordTable()
    const parser = createIncrementalArrayParser(
      'data',
      (elements) => appendRecords(records, elements),
      createRecordScanner(records).scan,
    )
    return {
      parser,
      decode({ remainder, text }) {
        if (!remainder) return readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES))
        checkDepth(remainder)
        return { ...readGraphEnvelope(remainder), records }
      },
    }
  },

  current(endpoint) {
    const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
    const parser = createIncrementalArrayParser('devices', (elements) => appendDevices(envelope, elements))
    return {
      parser,
      decode({ remainder, text }) {
        if (!remainder) return readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES))
        checkDepth(remainder)
        return envelope
      },
    }
  },

  alert: (endpoint) => ({
    parser: undefined,
    decode: ({ text }) => readEnvelope(endpoint, text(MAX_SINGLE_PARSE_BYTES)),
  }),
}
