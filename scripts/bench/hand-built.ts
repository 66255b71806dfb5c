/**
 * The function node that a user would put after an http request node to get the same readings as from our nodes:
 * numbers with their units, and times, names and serial numbers as sent by the service.
 */
const values = `
const number = (value) => value === '' || value == null || isNaN(value) ? null : Number(value)
const iso = (seconds) => new Date(Number(seconds) * 1000).toISOString()
const answer = msg.payload
`

export const currentByHand = `${values}
const payload = answer.devices.map((device) => {
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
return { payload }`

const device = `${values}
const serial = answer['remote-serial'] || answer.serial
const name = answer['remote-name'] || answer.name
const model = answer['remote-model'] || answer.model
const base = answer['base-serial']
  ? { serial: answer['base-serial'], name: answer['base-name'], model: answer['base-model'] }
  : { serial, name, model }
const about = { serial, name, model, base, standalone: base.serial === serial }
const topic = 'envlog/' + base.serial + '/' + serial
`

const records = `${device}
const keys = Object.keys(answer.data[0]).filter((key) => /^ch\\d+$/.test(key))
about.channels = keys.map((key, index) => {
  const listed = answer.channel[index] || {}
  return { key, number: index + 1, name: listed.name || key, unit: listed.unit }
})
const records = answer.data.map((raw) => {
  const record = { time: iso(raw.unixtime), timestamp: Number(raw.unixtime) * 1000, dataId: number(raw['data-id']) }
  for (const key of keys) {
    record[key] = number(raw[key])
    if (record[key] === null) record.errors = { ...record.errors, [key]: raw[key] }
  }
  return record
}).sort((a, b) => a.timestamp - b.timestamp)
`

export const seriesByHand = {
  readings: `${records}
return { payload: { ...about, records }, topic }`,

  each: `${records}
return [records.map((record) => ({ payload: { ...about, records: [record] }, topic }))]`,

  rows: `${records}
const payload = records.flatMap((record) => about.channels.map(({ key, number, name: label, unit }) => ({
  serial, base: base.serial, time: record.time, timestamp: record.timestamp, name, model, channel: number, label, unit,
  value: record[key], dataid: record.dataId,
})))
return { payload, topic }`,
}

/** Sends only records that are later than the last ones, and a final message when all devices have been read. */
export const pollByHand = (count: number) => `${records}
const last = flow.get('last-' + serial) || 0
const fresh = records.filter(({ timestamp }) => timestamp > last)
if (fresh.length > 0) {
  flow.set('last-' + serial, fresh[fresh.length - 1].timestamp)
  node.send([{ payload: { ...about, records: fresh }, topic }, null])
}
const left = (context.get('left') || ${count}) - 1
context.set('left', left)
return left === 0 ? [null, {}] : null`

export const alertsByHand = `${device}
const isSource = (key) => /^(ch\\d|battery-level|communication-status)$/.test(key)
const payload = answer['alert-logs'].flatMap((entry) => Object.keys(entry).filter(isSource).map((source) => (
  { ...about, time: iso(entry.unixtime), timestamp: Number(entry.unixtime) * 1000, source, text: entry[source] }
)))
return { payload, topic: topic + '/alert' }`
