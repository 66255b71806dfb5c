#!/usr/bin/env bash
# What the driver under the S7 nodes writes into a data block and reads back from the same bytes (no PLC is needed): a text with
# a degree sign or a micro sign comes back as another text that looks like a value, and NaN into an INT is 0.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @st-one-io/nodes7@1.1.2

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const Item = require('@st-one-io/nodes7/src/s7item.js')

function roundTrip(address, value) {
  const data = new Item('written', address).getWriteBuffer(value)
  const item = new Item('read', address)
  const request = item.getReadItemRequest()
  item.readValueFromResponse({ returnCode: 0xff, data }, request)
  item.updateValueFromBuffer()
  return item.value
}

console.log(version('@st-one-io/nodes7'))
const cases = [['DB1,STRING0.12', '-18°C'], ['DB1,STRING0.12', '5µm'], ['DB1,INT0', NaN], ['DB1,INT0', -18.5]]
for (const [address, value] of cases) console.log(`${address} ${value}:`.padEnd(22), roundTrip(address, value))
JS

cat > expected.txt <<'END'
@st-one-io/nodes7 1.1.2
DB1,STRING0.12 -18°C:  -180C
DB1,STRING0.12 5µm:    55m
DB1,INT0 NaN:          0
DB1,INT0 -18.5:        -18
END

echo 'Guess: the same text, or an error; an error for NaN'
node seen.js | tee seen.txt
diff expected.txt seen.txt
