#!/usr/bin/env bash
# What sensors report over Zigbee while they have no reading, decoded by two packages from npm: the values that its standard
# reserves for "unknown" become -327.68 °C, 655.35%, -3276.8 kPa and 3.6 million lux. An older converter leaves the humidity
# out, but not the others.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error zigbee-herdsman-converters@26.112.0 zigbee-herdsman@10.9.5

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { Zcl } = require('zigbee-herdsman')
const older = require('zigbee-herdsman-converters/converters/fromZigbee')
const newer = require('zigbee-herdsman-converters/lib/modernExtend')

console.log(`${version('zigbee-herdsman')}, ${version('zigbee-herdsman-converters')}`)
const MEASURED_VALUE = [0, 0]
const INT16 = 0x29
const UINT16 = 0x21

/** What both converters make of a report of one attribute, given as the bytes that a device sends. */
function show(name, cluster, type, bytes) {
  const buffer = Buffer.from([0x18, 1, 0x0a, ...MEASURED_VALUE, type, ...bytes])
  const frame = Zcl.Frame.fromBuffer(cluster, Zcl.Header.fromBuffer(buffer), buffer, {})
  const measuredValue = frame.payload[0].attrData
  const message = {
    data: { measuredValue },
    cluster: frame.cluster.name,
    type: 'attributeReport',
    endpoint: { ID: 1 },
    device: {},
  }
  const model = { model: 'sensor', vendor: 'any', meta: {}, exposes: [] }
  const convert = (converter) => JSON.stringify(converter.convert(model, message, () => {}, {}, { state: {} })) ?? 'nothing'
  const [converter] = newer[name]().fromZigbee
  const reading = name.padEnd(12) + String(measuredValue).padEnd(7)
  console.log(reading, convert(converter).padEnd(34), older[name] ? convert(older[name]) : 'no such converter')
}
show('temperature', 0x0402, INT16, [0xd0, 0xf8])
show('temperature', 0x0402, INT16, [0x00, 0x80])
show('humidity', 0x0405, UINT16, [0x88, 0x13])
show('humidity', 0x0405, UINT16, [0xff, 0xff])
show('pressure', 0x0403, INT16, [0xf5, 0x03])
show('pressure', 0x0403, INT16, [0x00, 0x80])
show('illuminance', 0x0400, UINT16, [0x11, 0x27])
show('illuminance', 0x0400, UINT16, [0xff, 0xff])
process.exit()
JS

cat > expected.txt <<'END'
zigbee-herdsman 10.9.5, zigbee-herdsman-converters 26.112.0
temperature -1840   {"temperature":-18.4}              {"temperature":-18.4}
temperature -32768  {"temperature":-327.68}            {"temperature":-327.68}
humidity    5000    {"humidity":50}                    {"humidity":50}
humidity    65535   {"humidity":655.35}                nothing
pressure    1013    {"pressure":101.3}                 {"pressure":1013}
pressure    -32768  {"pressure":-3276.8}               {"pressure":-32768}
illuminance 10001   {"illuminance":10}                 no such converter
illuminance 65535   {"illuminance":3576020.5018090233} no such converter
END

echo 'Guess: null, or nothing, for 8000 and ffff, which the standard keeps for unknown values'
node seen.js | tee seen.txt
diff expected.txt seen.txt
