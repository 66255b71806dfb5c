import assert from 'node:assert/strict'
import { alertResponse, type Json, readAlerts } from '../responses'

describe('an alert log', () => {
  it('reverses entries with the same time together with the others', () => {
    const at = (unixtime: number, ch1: string) => ({ unixtime, ch1 })
    const texts = (entries: Json[]) =>
      readAlerts(alertResponse({ 'alert-logs': entries }))
        .alerts.map(({ text }) => text)
        .join('')
    const newestFirst = [at(30, 'e'), at(20, 'd'), at(20, 'c'), at(10, 'b'), at(10, 'a')]
    assert.equal(texts(newestFirst), 'abcde')
    assert.equal(texts(newestFirst.toReversed()), 'abcde')
    assert.equal(texts([at(20, 'c'), at(20, 'b')]), 'bc', 'the sample in the description is newest first')
  })

  it('has the channels of its alerts too, if the response does not list them', () => {
    const { channels } = readAlerts(alertResponse({ 'alert-logs': [{ unixtime: 10, ch3: 'text' }] }))
    assert.deepEqual(
      channels.map(({ key }) => key),
      ['ch1', 'ch3'],
    )
  })

  it('reports an entry that is none', () => {
    const { alerts, unreadable } = readAlerts(
      alertResponse({ 'alert-logs': [7, { unixtime: 10, ch1: 'text' }] }),
    )
    assert.deepEqual([alerts.length, unreadable], [1, ['alert-logs.0']])
  })

  it('has a text of each of six channels, the battery and communication, in every spelling', () => {
    const fields = [...[1, 2, 3, 4, 5, 6, 7].map((number) => `ch${number}`)]
    const others = ['battery-level', 'battery_level', 'communication-status', 'communication_status']
    const entries = [...fields, ...others].map((field, unixtime) => ({ unixtime, [field]: 'text' }))
    const sources = readAlerts(alertResponse({ 'alert-logs': entries })).alerts.map(({ source }) => source)
    const [battery, communication] = ['battery', 'communication']
    assert.deepEqual(sources, [...fields.slice(0, 6), battery, battery, communication, communication])
  })
})
