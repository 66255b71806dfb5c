import { type Endpoint, type EndpointName, endpoints } from '../endpoints'
import { type CurrentEnvelope, type Envelope, graphOf, readEnvelope, shallow, takeDevices } from './envelopes'
import { createSlicer, type Slicer } from './incremental-array-parser'
import { createRecordScanner } from './record-scanner'
import { addRecords, createTable } from './record-table'

/** One that can only be parsed at once: larger ones would stop the event loop for longer than 50 ms. */
export const MAX_WHOLE_BYTES = 4 * 1024 * 1024

/** What has arrived of an answer. */
export interface ResponseBody {
  /** The whole of it (UTF-8). @throws EnvlogError `reply-too-large` above so many bytes */
  text(most?: number): string
  /** What is left of it without the elements that the slicer took. */
  rest: object | undefined
}

/** Takes one answer in: what it has thousands of is read while it arrives. */
export interface Intake {
  /** Nothing for answers that are always short. */
  slicer: Slicer | undefined
  /** @throws EnvlogError as `readEnvelope` */
  read(body: ResponseBody): Envelope
}

export function createIntake(endpoint: EndpointName): Intake {
  return intakes[endpoints[endpoint].answer](endpoint)
}

const intakes: Record<Endpoint['answer'], (endpoint: EndpointName) => Intake> = {
  graph(endpoint) {
    const records = createTable()
    const slicer = createSlicer(
      'data',
      (found) => addRecords(records, found),
      createRecordScanner(records).scan,
    )
    return {
      slicer,
      read: ({ rest, text }) =>
        rest ? { ...graphOf(shallow(rest)), records } : readEnvelope(endpoint, text(MAX_WHOLE_BYTES)),
    }
  },

  current(endpoint) {
    const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
    const slicer = createSlicer('devices', (found) => takeDevices(envelope, found))
    return {
      slicer,
      read({ rest, text }) {
        if (!rest) return readEnvelope(endpoint, text(MAX_WHOLE_BYTES))
        shallow(rest)
        return envelope
      },
    }
  },

  alert: (endpoint) => ({
    slicer: undefined,
    read: ({ text }) => readEnvelope(endpoint, text(MAX_WHOLE_BYTES)),
  }),
}
