#!/usr/bin/env bash
# Readings as datapoints of KNX: null goes out as 0, in the newer library NaN and 21,5 too, and 101% as 40%; a text with a degree
# sign comes back with a zero, and a number above the highest one is negative.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error knxultimate@5.4.0 knx@2.5.4

cat > seen.js <<'JS'
const show = console.log
console.log = console.warn = console.error = () => {} // knx logs what it thinks of a value; LOG_MODULES keeps the other quiet
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const libraries = { knxultimate: require('knxultimate').dptlib, knx: require('knx/src/dptlib') }

function roundTrip(library, id, value) {
  const apdu = {}
  try {
    library.populateAPDU(value, apdu, id)
  } catch {
    return 'refused'
  }
  if (apdu.data === undefined) return 'nothing is encoded'
  const read = library.fromBuffer(apdu.data, library.resolve(id))
  return typeof read === 'number' ? Math.round(read * 100) / 100 : read.replace(/\0/g, '')
}

const cases = [
  ['9.001', null], ['9.001', NaN], ['9.001', '21,5'], ['9.001', -18.4], ['9.001', 700000],
  ['14.068', null], ['14.068', '21,5'], ['5.001', 101], ['16.000', 'Room 3 °C'],
]
for (const [name, library] of Object.entries(libraries)) {
  show(version(name))
  for (const [id, value] of cases) show(`${id} ${value}:`.padEnd(18), roundTrip(library, id, value))
}
process.exit()
JS

cat > expected.txt <<'END'
knxultimate 5.4.0
9.001 null:        0
9.001 NaN:         0
9.001 21,5:        0
9.001 -18.4:       -18.39
9.001 700000:      -9.8
14.068 null:       0
14.068 21,5:       0
5.001 101:         40
16.000 Room 3 °C:  Room 3 0C
knx 2.5.4
9.001 null:        0
9.001 NaN:         nothing is encoded
9.001 21,5:        nothing is encoded
9.001 -18.4:       -18.39
9.001 700000:      -9.8
14.068 null:       0
14.068 21,5:       NaN
5.001 101:         refused
16.000 Room 3 °C:  Room 3 0C
END

echo 'Guess: what is no number or does not fit is refused, or is the value for "invalid" (7FFF) of 9.001'
LOG_MODULES=none node seen.js | tee seen.txt
diff expected.txt seen.txt
