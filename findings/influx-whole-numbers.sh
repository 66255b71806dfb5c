#!/usr/bin/env bash
# Fractions, decimal commas and texts of times in the client of InfluxDB 2.x: a negative fraction is rounded down as a
# number and cut as a text, 21,5 loses its fraction, and the text of a time is sent as it is. Nothing is refused.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @influxdata/influxdb-client@1.35.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { Point } = require('@influxdata/influxdb-client')

console.log(version('@influxdata/influxdb-client'))
const show = (what, write) => console.log(what.padEnd(34), write(new Point('m')).toLineProtocol())
const at1 = (point) => point.timestamp(1)
show('intField -18.5', (point) => at1(point.intField('v', -18.5)))
show("intField '-18.5'", (point) => at1(point.intField('v', '-18.5')))
show('intField -0.5', (point) => at1(point.intField('v', -0.5)))
show("intField '9007199254740993'", (point) => at1(point.intField('v', '9007199254740993')))
show("uintField '9007199254740993'", (point) => at1(point.uintField('v', '9007199254740993')))
show("floatField '21,5'", (point) => at1(point.floatField('v', '21,5')))
show("timestamp '2026-11-29T00:00:00Z'", (point) => point.floatField('v', 1).timestamp('2026-11-29T00:00:00Z'))
JS

cat > expected.txt <<'END'
@influxdata/influxdb-client 1.35.0
intField -18.5                     m v=-19i 1
intField '-18.5'                   m v=-18i 1
intField -0.5                      m v=-1i 1
intField '9007199254740993'        m v=9007199254740992i 1
uintField '9007199254740993'       m v=9007199254740993u 1
floatField '21,5'                  m v=21 1
timestamp '2026-11-29T00:00:00Z'   m v=1 2026-11-29T00:00:00Z
END

echo 'Guess: an error for each, or -18i twice'
node seen.js | tee seen.txt
diff expected.txt seen.txt
