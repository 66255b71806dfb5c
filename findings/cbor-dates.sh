#!/usr/bin/env bash
# Dates in CBOR, sent by one library and read by another: its standard writes a Date as seconds since 1970, and one library reads
# these as milliseconds, so that each is in January 1970; one reads a plain number, and writes a Date as an object without
# anything in it, as two libraries of similar formats do.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
  cbor@10.0.12 cbor-x@1.6.8 cbor-sync@1.0.4 cbor-js@0.1.0 @shelacek/ubjson@1.1.1 what-the-pack@2.0.3

cat > seen.mjs <<'JS'
import { readFileSync } from 'node:fs'
import ubjson from '@shelacek/ubjson'
import cbor from 'cbor'
import cborJs from 'cbor-js'
import cborSync from 'cbor-sync'
import { decode, encode } from 'cbor-x'
import whatThePack from 'what-the-pack'

const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`
const bytes = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length)
const libraries = {
  cbor: { write: (value) => cbor.encode(value), read: (buffer) => cbor.decodeFirstSync(buffer) },
  'cbor-x': { write: (value) => encode(value), read: (buffer) => decode(buffer) },
  'cbor-sync': { write: (value) => cborSync.encode(value), read: (buffer) => cborSync.decode(buffer) },
  'cbor-js': { write: (value) => Buffer.from(cborJs.encode(value)), read: (buffer) => cborJs.decode(bytes(buffer)) },
}
const shown = (value) => (value instanceof Date ? value.toISOString() : JSON.stringify(value))
const date = new Date('2026-11-29T00:05:00.123Z')

console.log(Object.keys(libraries).map(version).join(', '))
for (const [writer, { write }] of Object.entries(libraries))
  for (const [reader, { read }] of Object.entries(libraries)) {
    let seen
    try {
      seen = shown(read(Buffer.from(write({ date }))).date)
    } catch {
      seen = 'error'
    }
    console.log(`  written by ${writer}, read by ${reader}:`.padEnd(45), seen)
  }
console.log(`${version('@shelacek/ubjson')}:`.padEnd(47), shown(ubjson.decode(ubjson.encode({ date })).date))
const messagePack = whatThePack.initialize(1024)
console.log(`${version('what-the-pack')}:`.padEnd(47), shown(messagePack.decode(messagePack.encode({ date })).date))
JS

cat > expected.txt <<'END'
cbor 10.0.12, cbor-x 1.6.8, cbor-sync 1.0.4, cbor-js 0.1.0
  written by cbor, read by cbor:              2026-11-29T00:05:00.123Z
  written by cbor, read by cbor-x:            2026-11-29T00:05:00.123Z
  written by cbor, read by cbor-sync:         1970-01-21T18:51:50.700Z
  written by cbor, read by cbor-js:           1795910700.123
  written by cbor-x, read by cbor:            2026-11-29T00:05:00.123Z
  written by cbor-x, read by cbor-x:          2026-11-29T00:05:00.123Z
  written by cbor-x, read by cbor-sync:       1970-01-21T18:51:50.700Z
  written by cbor-x, read by cbor-js:         1795910700.123
  written by cbor-sync, read by cbor:         2026-11-29T00:05:00.123Z
  written by cbor-sync, read by cbor-x:       2026-11-29T00:05:00.123Z
  written by cbor-sync, read by cbor-sync:    2026-11-29T00:05:00.123Z
  written by cbor-sync, read by cbor-js:      "2026-11-29T00:05:00.123Z"
  written by cbor-js, read by cbor:           {}
  written by cbor-js, read by cbor-x:         {}
  written by cbor-js, read by cbor-sync:      {}
  written by cbor-js, read by cbor-js:        {}
@shelacek/ubjson 1.1.1:                         {}
what-the-pack 2.0.3:                            {}
END

echo 'Guess: 2026-11-29T00:05:00.123Z in each line, or an error'
node seen.mjs | tee seen.txt
diff expected.txt seen.txt
