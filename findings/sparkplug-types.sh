#!/usr/bin/env bash
# Values that go through the encoder and the decoder of sparkplug-payload: what does not fit is not refused, a Date comes back
# as 0 (1970), texts as other values, and a table with an empty or a negative cell cannot be read.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error sparkplug-payload@1.0.3

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { encodePayload, decodePayload } = require('sparkplug-payload').get('spBv1.0')

function roundTrip(type, value) {
  let encoded
  try {
    encoded = encodePayload({ timestamp: 1, seq: 0, metrics: [{ name: 'm', type, value, timestamp: 1 }] })
  } catch (error) {
    return 'the encoder refuses it'
  }
  try {
    const decoded = decodePayload(encoded).metrics[0].value
    return typeof decoded === 'object' ? String(decoded?.rows ?? decoded) : String(decoded)
  } catch (error) {
    return `the decoder refuses it: ${error.message}`
  }
}

const table = (type, cell) => ({ numOfColumns: 1, columns: ['c'], types: [type], rows: [[cell]] })
console.log(version('sparkplug-payload'))
const cases = [
  ['Int16', 40000], ['Int32', 21.7], ['Double', null], ['Double', '21,5'], ['Boolean', 'false'],
  ['DateTime', new Date(Date.UTC(2026, 10, 29))], ['DataSet', table('Double', 1.5)], ['DataSet', table('Double', null)], ['DataSet', table('Int32', -5)],
]
const label = (value) => (value instanceof Date ? 'Date' : JSON.stringify(value?.rows ?? value))
for (const [type, value] of cases) console.log(`${type} ${label(value)}:`.padEnd(18), roundTrip(type, value))
JS

cat > expected.txt <<'END'
sparkplug-payload 1.0.3
Int16 40000:       40000
Int32 21.7:        21
Double null:       null
Double "21,5":     NaN
Boolean "false":   true
DateTime Date:     0
DataSet [[1.5]]:   1.5
DataSet [[null]]:  the decoder refuses it: Invalid DataSetValue: {}
DataSet [[-5]]:    the decoder refuses it: Invalid DataSetValue: {"intValue":4294967291}
END

echo 'Guess: each value as it was, or an error of the encoder'
node seen.js | tee seen.txt
diff expected.txt seen.txt
