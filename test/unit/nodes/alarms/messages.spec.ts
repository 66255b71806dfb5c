import assert from 'node:assert/strict'
import { NOTHING } from '../../../../src/lib/limits/event'
import { Messages } from '../../../../src/nodes/alarms/messages'

describe('the topic of an alarm', () => {
  const sentences = { sentence: () => '', subject: () => '' }
  const RED = { util: { cloneMessage: (msg: object) => msg } }
  const settings = { output: 'event', send: 'each' }
  const messages = new Messages(RED as never, settings as never, 'Plant A', sentences as never)

  it('ends with limit if the row has no name', () => {
    const place = { base: '5839F001', serial: '5212A1B2', channel: 1 }
    const event = { ...NOTHING, ...place, condition: 'above', limit: '' } as const
    const [msg] = messages.ofReports([{ event, utcOffset: null }])
    assert.equal((msg as { topic?: string }).topic, 'envlog/5839F001/5212A1B2/ch1/limit')
  })
})
