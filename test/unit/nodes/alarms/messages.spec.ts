import assert from 'node:assert/strict'
import { NOTHING } from '../../../../src/lib/limits/event'
import { Messages } from '../../../../src/nodes/alarms/messages'

const sentences = { sentence: () => '', subject: () => '' }
const RED = { util: { cloneMessage: (msg: object) => msg } }
const messagesOf = (settings: object) =>
  new Messages(RED as never, settings as never, 'Plant A', sentences as never)

describe('the topic of an alarm', () => {
  it('ends with limit if the row has no name', () => {
    const place = { base: '5839F001', serial: '5212A1B2', channel: 1 }
    const event = { ...NOTHING, ...place, condition: 'above', limit: '' } as const
    const [msg] = messagesOf({ output: 'event', send: 'each' }).ofReports([{ event, utcOffset: null }])
    assert.equal((msg as { topic?: string }).topic, 'envlog/5839F001/5212A1B2/ch1/limit')
  })
})

describe('all events of a message', () => {
  it('are an empty array if there are none, but nothing is sent by the clock', () => {
    const messages = messagesOf({ output: 'event', send: 'all' })
    assert.deepEqual(
      messages.ofReports([], {} as never).map(({ payload }) => payload),
      [[]],
    )
    assert.deepEqual(messages.ofReports([]), [])
  })
})
