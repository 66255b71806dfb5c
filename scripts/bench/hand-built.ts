/**
 * The code of the function node that a user would place after an http request node to get the same readings as from our
 * nodes: values as numbers, with units, names and serial numbers, and times as ISO 8601 text.
 */
const values = `
const number = (value) => value === '' || value == null || isNaN(value) ? null : Number(value)
const iso = (seconds) => new Date(Number(seconds) * 1000).toISOString()
const response = msg.payload
`

export const currentByHand = `${values}
const payload = response.devices.map((device) => {
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
const serial = response['remote-serial'] || response.serial
const name = response['remote-name'] || response.name
const model = response['remote-model'] || response.model
const base = response['base-serial']
  ? { serial: response['base-serial'], name: response['base-name'], model: response['base-model'] }
  : { serial, name, model }
const about = { serial, name, model, base, standalone: base.serial === serial }
const topic = 'envlog/' + base.serial + '/' + serial
`

const records = `${device}
const keys = Object.keys(response.data[0]).filter((key) => /^ch\\d+$/.test(key))
about.channels = keys.map((key, index) => {
  const listed = response.channel[index] || {}
  return { key, number: index + 1, name: listed.name || key, unit: listed.unit }
})
const records = response.data.map((source) => {
  const record = { time: iso(source.unixtime), timestamp: Number(source.unixtime) * 1000, dataId: number(source['data-id']) }
  for (const key of keys) {
    record[key] = number(source[key])
    if (record[key] === null) record.errors = { ...record.errors, [key]: source[key] }
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

/**
 * Sends only records that are newer than the last record sent for the device, and a final message after all devices.
 */
export const pollByHand = (count: number) => `${records}
const last = flow.get('last-' + serial) || 0
const newRecords = records.filter(({ timestamp }) => timestamp > last)
if (newRecords.length > 0) {
  flow.set('last-' + serial, newRecords[newRecords.length - 1].timestamp)
  node.send([{ payload: { ...about, records: newRecords }, topic }, null])
}
const remaining = (context.get('remaining') || ${count}) - 1
context.set('remaining', remaining)
return remaining === 0 ? [null, {}] : null`

export const alertsByHand = `${device}
const isSource = (key) => /^(ch\\d|battery-level|communication-status)$/.test(key)
const payload = response['alert-logs'].flatMap((entry) => Object.keys(entry).filter(isSource).map((source) => (
  { ...about, time: iso(entry.unixtime), timestamp: Number(entry.unixtime) * 1000, source, text: entry[source] }
)))
return { payload, topic: topic + '/alert' }`
