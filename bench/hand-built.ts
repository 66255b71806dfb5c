/**
 * Code of the function node after an http request node, which makes the same payloads as our nodes: one text of
 * JavaScript for each output.
 */
import type { Output, Send } from '../src/shared/outputs'

export type HandBuilt = `${'current' | 'series' | 'alerts'} ${Output} ${Send}`

const number = `
const number = (value) => value === '' || value == null || isNaN(value) ? null : Number(value)
const iso = (seconds) => new Date(Number(seconds) * 1000).toISOString()
`

const readings = `${number}
const readings = msg.payload.devices.map((device) => {
  const base = device.baseunit && device.baseunit.serial ? device.baseunit : device
  const timestamp = Number(device.unixtime) * 1000
  return {
    serial: device.serial, name: device.name, model: device.model, number: number(device.num),
    base: { serial: base.serial, name: base.name, model: base.model },
    standalone: base.serial === device.serial,
    group: device.group && device.group.name ? { number: number(device.group.num), name: device.group.name } : null,
    time: iso(device.unixtime), timestamp, age: Math.max(0, Math.round((Date.now() - timestamp) / 1000)),
    battery: number(device.battery), rssi: number(device.rssi),
    channels: device.channel.map((channel) => ({
      key: 'ch' + channel.num, number: number(channel.num), name: channel.name, unit: channel.unit,
      value: number(channel.value), error: number(channel.value) === null ? channel.value : null,
    })),
  }
})
`

const currentRows = `${readings}
const rows = []
for (const reading of readings) {
  for (const channel of reading.channels) {
    rows.push({
      serial: reading.serial, base: reading.base.serial, time: reading.time, timestamp: reading.timestamp,
      name: reading.name, model: reading.model, groupname: reading.group ? reading.group.name : '',
      channel: channel.number, label: channel.name, unit: channel.unit, value: channel.value,
      battery: reading.battery, rssi: reading.rssi, age: reading.age,
    })
  }
}
`

const series = `${number}
const answer = msg.payload
const serial = answer['remote-serial'] || answer.serial
const name = answer['remote-name'] || answer.name
const model = answer['remote-model'] || answer.model
const base = answer['base-serial']
  ? { serial: answer['base-serial'], name: answer['base-name'], model: answer['base-model'] }
  : { serial, name, model }
const keys = Object.keys(answer.data[0]).filter((key) => /^ch\\d+$/.test(key))
const channels = keys.map((key, index) => {
  const listed = answer.channel[index] || {}
  return { key, number: index + 1, name: listed.name || key, unit: listed.unit }
})
const about = { serial, name, model, base, standalone: base.serial === serial, channels }
const topic = 'envlog/' + base.serial + '/' + serial
`

const records = `${series}
const records = answer.data.map((raw) => {
  const record = { time: iso(raw.unixtime), timestamp: Number(raw.unixtime) * 1000, dataId: number(raw['data-id']) }
  for (const key of keys) {
    record[key] = number(raw[key])
    if (record[key] === null) record.errors = { ...record.errors, [key]: raw[key] }
  }
  return record
}).sort((a, b) => a.timestamp - b.timestamp)
`

const rows = `${series}
const rows = []
for (const raw of answer.data) {
  const time = iso(raw.unixtime)
  const timestamp = Number(raw.unixtime) * 1000
  for (const channel of channels) {
    rows.push({
      serial, base: base.serial, time, timestamp, name, model, channel: channel.number, label: channel.name,
      unit: channel.unit, value: number(raw[channel.key]), dataid: number(raw['data-id']),
    })
  }
}
`

const points = `${series}
const points = answer.data.map((raw) => {
  const fields = {}
  for (const key of keys) if (number(raw[key]) !== null) fields[key] = number(raw[key])
  const tags = { serial, name, model, base: base.serial }
  return { measurement: 'envlog', tags, fields, timestamp: new Date(Number(raw.unixtime) * 1000) }
})
`

const alerts = `${number}
const answer = msg.payload
const serial = answer['remote-serial']
const base = { serial: answer['base-serial'], name: answer['base-name'], model: answer['base-model'] }
const alerts = []
for (const entry of answer['alert-logs']) {
  for (const source of Object.keys(entry)) {
    const text = entry[source]
    if (!/^(ch\\d|battery-level|communication-status)$/.test(source) || !text) continue
    alerts.push({
      serial, name: answer['remote-name'], model: answer['remote-model'], base, standalone: base.serial === serial,
      time: iso(entry.unixtime), timestamp: Number(entry.unixtime) * 1000, source, text,
    })
  }
}
const topic = 'envlog/' + base.serial + '/' + serial + '/alert'
`

const one = (list: string) => `msg.payload = ${list}; return msg`
const each = (list: string, topic = 'topic') =>
  `return [${list}.map((item) => ({ payload: item, topic: ${topic} }))]`
const chunks = (list: string, payload: string) => `const messages = []
for (let from = 0; from < ${list}.length; from += 1000) {
  const some = ${list}.slice(from, from + 1000)
  messages.push({ payload: ${payload}, topic })
}
return [messages]`

const ofRow = "'envlog/' + item.base + '/' + item.serial + '/' + item.channel"
const values = `return [rows.filter((row) => row.value !== null)
  .map((item) => ({ payload: item.value, reading: item, topic: ${ofRow} }))]`

export const handBuilt = {
  'current readings all': `${readings}${one('readings')}`,
  'current readings device': `${readings}${each('readings', "'envlog/' + item.base.serial + '/' + item.serial")}`,
  'current rows all': `${currentRows}${one('rows')}`,
  'current points all': `${readings}
const points = readings.map((reading) => ({
  measurement: 'envlog',
  tags: { serial: reading.serial, name: reading.name, model: reading.model, base: reading.base.serial },
  fields: Object.fromEntries(reading.channels.filter(({ value }) => value !== null).map(({ key, value }) => [key, value])),
  timestamp: new Date(reading.timestamp),
})).filter(({ fields }) => Object.keys(fields).length > 0)
${one('points')}`,
  'current values value': `${currentRows}${values}`,
  'series readings device': `${records}msg.topic = topic; ${one('{ ...about, records }')}`,
  'series readings chunk': `${records}${chunks('records', '{ ...about, records: some }')}`,
  'series readings each': `${records}
return [records.map((record) => ({ payload: { ...about, records: [record] }, topic }))]`,
  'series rows device': `${rows}msg.topic = topic; ${one('rows')}`,
  'series rows chunk': `${rows}${chunks('rows', 'some')}`,
  'series rows each': `${rows}${each('rows', ofRow)}`,
  'series points device': `${points}msg.topic = topic; ${one('points')}`,
  'series points chunk': `${points}${chunks('points', 'some')}`,
  'series points each': `${points}${each('points')}`,
  'series values value': `${rows}${values}`,
  'alerts readings device': `${alerts}msg.topic = topic; ${one('alerts')}`,
  'alerts rows each': `${alerts}
return [alerts.map((item) => ({ payload: { ...item, base: item.base.serial }, topic }))]`,
} satisfies { [K in HandBuilt]?: string }
