#!/usr/bin/env bash
# Readings in ClickHouse, as its engine from npm stores JSON: null and a property that is missing are 0 in a column of numbers,
# a property that no column is named after is left out, 40000 wraps round in an Int16, and milliseconds are the year 2106, all
# without an error. The maximum of no rows is 0, and so is a time that a join or a filled series has no reading for.
# Exits 1 if the output differs. Needs Node.js 20 or newer, npm, 600 MB of disk, Linux or macOS; takes about a minute.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error chdb@3.4.0

cat > seen.js <<'JS'
const { Session } = require('chdb')

const session = new Session('data')
const ask = (statement) => session.query(statement, 'JSONEachRow').trim().replace(/\n/g, ' ')

function stored(column, row) {
  ask(`CREATE OR REPLACE TABLE readings.log (serial String, ${column}) ENGINE = MergeTree ORDER BY serial`)
  let seen
  try {
    ask(`INSERT INTO readings.log FORMAT JSONEachRow ${JSON.stringify({ serial: '5214E001', ...row })}`)
    seen = ask(`SELECT ${column.split(' ')[0]} FROM readings.log`)
  } catch {
    seen = 'refused'
  }
  console.log(`${column}, ${JSON.stringify(row)}:`.padEnd(55), seen)
}

const { version } = require('./node_modules/chdb/package.json')
console.log(`chdb ${version}, ClickHouse ${JSON.parse(ask('SELECT version() AS is')).is}`)
ask('CREATE DATABASE readings')
stored('temperature Float64', { temperature: -18.4 })
stored('temperature Float64', { temperature: null })
stored('temperature Float64', {})
stored('temperature Float64', { temp: -18.4 })
stored('temperature Nullable(Float64)', { temperature: null })
stored('temperature Float64', { temperature: '21,5' })
stored('tenths Int16', { tenths: 40000 })
stored('tenths Int16', { tenths: 21.7 })
stored("time DateTime('UTC')", { time: 1795910700123 })
stored("time DateTime('UTC')", { time: null })
stored("time DateTime64(3, 'UTC')", { time: 1795910700123 })
const freezer = "SELECT toDateTime('2026-11-29 00:00:00', 'UTC') + INTERVAL arrayJoin([0, 10]) MINUTE AS time, -18.4 AS value"
console.log('maximum of no rows:', ask(`SELECT max(value) AS highest FROM (${freezer}) WHERE time > '2027-01-01'`))
console.log('maximum of those since 2027:', ask(`SELECT maxIf(value, time > '2027-01-01') AS highest FROM (${freezer})`))
console.log('filled every 5 minutes:', ask(`SELECT value FROM (${freezer}) ORDER BY time WITH FILL STEP 300`))
const rooms = "SELECT arrayJoin(['A', 'B']) AS room"
console.log('joined:', ask(`SELECT room, value FROM (${rooms}) AS all LEFT JOIN (SELECT 'A' AS room, -18.4 AS value) AS log USING room ORDER BY room`))
console.log('1.15 as Decimal with 2 digits:', ask('SELECT toDecimal64(1.15, 2) AS value'))
session.close()
JS

cat > expected.txt <<'END'
chdb 3.4.0, ClickHouse 26.7.2.1
temperature Float64, {"temperature":-18.4}:             {"temperature":-18.4}
temperature Float64, {"temperature":null}:              {"temperature":0}
temperature Float64, {}:                                {"temperature":0}
temperature Float64, {"temp":-18.4}:                    {"temperature":0}
temperature Nullable(Float64), {"temperature":null}:    {"temperature":null}
temperature Float64, {"temperature":"21,5"}:            refused
tenths Int16, {"tenths":40000}:                         {"tenths":-25536}
tenths Int16, {"tenths":21.7}:                          refused
time DateTime('UTC'), {"time":1795910700123}:           {"time":"2106-02-07 06:28:15"}
time DateTime('UTC'), {"time":null}:                    {"time":"1970-01-01 00:00:00"}
time DateTime64(3, 'UTC'), {"time":1795910700123}:      {"time":"2026-11-29 00:05:00.123"}
maximum of no rows: {"highest":0}
maximum of those since 2027: {"highest":0}
filled every 5 minutes: {"value":-18.4} {"value":0} {"value":-18.4}
joined: {"room":"A","value":-18.4} {"room":"B","value":0}
1.15 as Decimal with 2 digits: {"value":1.14}
END

echo 'Guess: null is refused or stays null, what does not fit is refused, and there is no value where there is no row'
node seen.js | tee seen.txt
diff expected.txt seen.txt
