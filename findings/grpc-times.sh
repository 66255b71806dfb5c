#!/usr/bin/env bash
# Readings in messages for gRPC: a Date becomes 1970, as a Timestamp and as an int64, "21,5" NaN as a double and 0 as a whole
# number, 3000000000 a negative number, and the text false true. An unknown name of an enum and a property with
# another name are left out. None of these is refused, and the check of the library below finds nothing in a Date either.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @grpc/proto-loader@0.8.1 protobufjs@8.8.1

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { writeFileSync } = require('node:fs')
const { loadSync } = require('@grpc/proto-loader')
const protobuf = require('protobufjs')

writeFileSync('readings.proto', `
syntax = "proto3";
import "google/protobuf/timestamp.proto";
enum Quality { UNKNOWN = 0; GOOD = 1; }
message Reading {
  google.protobuf.Timestamp time = 1;
  int64 milliseconds = 2;
  optional double value = 3;
  optional sint32 tenths = 4;
  optional Quality quality = 5;
  optional bool alarm = 6;
  optional double co2_value = 7;
}
service Readings { rpc Send(Reading) returns (Reading); }
`)
const { Send } = loadSync('readings.proto', { longs: Number, enums: String }).Readings

console.log(`${version('@grpc/proto-loader')}, ${version('protobufjs')}`)
const date = new Date('2026-11-29T00:00:00Z')
const text = (value) => JSON.stringify(value, (_key, part) => (Number.isNaN(part) ? 'NaN' : part))
function show(reading) {
  let received
  try {
    received = text(Send.requestDeserialize(Send.requestSerialize(reading)))
  } catch {
    received = 'error'
  }
  console.log(text(reading).padEnd(45), received)
}
show({ time: { seconds: date / 1000 } })
show({ time: date })
show({ time: '2026-11-29T00:00:00Z' })
show({ milliseconds: date.getTime() })
show({ milliseconds: date })
for (const value of [0, null, '21,5']) show({ value })
for (const tenths of [-18.5, '21,5', 3000000000]) show({ tenths })
for (const quality of ['GOOD', 'good']) show({ quality })
show({ alarm: 'false' })
show({ co2Value: 400 })
show({ co2_value: 400 })
const problem = protobuf.loadSync('readings.proto').lookupType('Reading').verify({ time: date })
console.log('verify({ time: a Date }):'.padEnd(45), problem ?? 'no problem')
JS

cat > expected.txt <<'END'
@grpc/proto-loader 0.8.1, protobufjs 8.8.1
{"time":{"seconds":1795910400}}               {"time":{"seconds":1795910400}}
{"time":"2026-11-29T00:00:00.000Z"}           {"time":{}}
{"time":"2026-11-29T00:00:00Z"}               error
{"milliseconds":1795910400000}                {"milliseconds":1795910400000}
{"milliseconds":"2026-11-29T00:00:00.000Z"}   {"milliseconds":0}
{"value":0}                                   {"value":0}
{"value":null}                                {}
{"value":"21,5"}                              {"value":"NaN"}
{"tenths":-18.5}                              {"tenths":-18}
{"tenths":"21,5"}                             {"tenths":0}
{"tenths":3000000000}                         {"tenths":-1294967296}
{"quality":"GOOD"}                            {"quality":"GOOD"}
{"quality":"good"}                            {}
{"alarm":"false"}                             {"alarm":true}
{"co2Value":400}                              {"co2Value":400}
{"co2_value":400}                             {}
verify({ time: a Date }):                     no problem
END

echo 'Guess: each arrives as it was sent, or is an error'
node seen.js | tee seen.txt
diff expected.txt seen.txt
