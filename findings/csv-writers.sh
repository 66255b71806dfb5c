#!/usr/bin/env bash
# Readings written as CSV by ten packages from npm: six take the columns from the first row, so that what only a later row has
# is in no row, without an error; of the others, one writes "undefined", and one a row that is a cell short. Of a Date, one keeps
# only the day, two write milliseconds, and two the local time in words, without a fraction; one has no time for midnight alone.
# Two leave false out.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
  csv-stringify@6.9.0 papaparse@5.7.1 fast-csv@5.0.8 objects-to-csv@1.3.6 export-to-csv@1.5.0 data-forge@1.10.5 \
  jsonexport@3.2.0 json-2-csv@5.6.0 @json2csv/plainjs@7.0.8 d3-dsv@3.0.2

cat > seen.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { Parser } from '@json2csv/plainjs'
import { stringify } from 'csv-stringify/sync'
import { csvFormat } from 'd3-dsv'
import dataForge from 'data-forge'
import { generateCsv, mkConfig } from 'export-to-csv'
import { writeToString } from 'fast-csv'
import { json2csv } from 'json-2-csv'
import jsonexport from 'jsonexport'
import ObjectsToCsv from 'objects-to-csv'
import papaparse from 'papaparse'

const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`
const writers = {
  'csv-stringify': (rows) => stringify(rows, { header: true }),
  papaparse: (rows) => papaparse.unparse(rows),
  'fast-csv': (rows) => writeToString(rows, { headers: true }),
  'objects-to-csv': (rows) => new ObjectsToCsv(rows).toString(),
  'export-to-csv': (rows) => generateCsv(mkConfig({ useKeysAsHeaders: true, useBom: false }))(rows),
  'data-forge': (rows) => new dataForge.DataFrame(rows).toCSV(),
  jsonexport: (rows) => jsonexport(rows),
  'json-2-csv': (rows) => json2csv(rows),
  '@json2csv/plainjs': (rows) => new Parser().parse(rows),
  'd3-dsv': (rows) => csvFormat(rows),
}

async function written(write, rows) {
  try {
    return String(await write(rows)).trim().replace(/\r?\n/g, ' | ').replaceAll('"', '')
  } catch {
    return 'refused'
  }
}

for (const [name, write] of Object.entries(writers)) {
  console.log(version(name))
  console.log('  columns:', await written(write, [{ at: 1, value: -18.4 }, { at: 2, value: -18.5, error: 'broken' }]))
  const midnight = new Date('2026-11-29T00:00:00Z')
  const later = new Date('2026-11-29T00:05:00.123Z')
  console.log('  times:  ', await written(write, [{ midnight, later, ok: false }]))
}
JS

cat > expected.txt <<'END'
csv-stringify 6.9.0
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   midnight,later,ok | 1795910400000,1795910700123,
papaparse 5.7.1
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   midnight,later,ok | 2026-11-29T00:00:00.000Z,2026-11-29T00:05:00.123Z,false
fast-csv 5.0.8
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   midnight,later,ok | Sun Nov 29 2026 00:00:00 GMT+0000 (Coordinated Universal Time),Sun Nov 29 2026 00:05:00 GMT+0000 (Coordinated Universal Time),false
objects-to-csv 1.3.6
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   midnight,later,ok | 1795910400000,1795910700123,
export-to-csv 1.5.0
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   refused
data-forge 1.10.5
  columns: at,value | 1,-18.4 | 2,-18.5
  times:   midnight,later,ok | 2026-11-29T00:00:00.000Z,2026-11-29T00:05:00.123Z,false
jsonexport 3.2.0
  columns: at,value,error | 1,-18.4 | 2,-18.5,broken
  times:   midnight,later,ok | 11/29/2026,11/29/2026,false
json-2-csv 5.6.0
  columns: at,value,error | 1,-18.4,undefined | 2,-18.5,broken
  times:   midnight,later,ok | Sun Nov 29 2026 00:00:00 GMT+0000 (Coordinated Universal Time),Sun Nov 29 2026 00:05:00 GMT+0000 (Coordinated Universal Time),false
@json2csv/plainjs 7.0.8
  columns: at,value,error | 1,-18.4, | 2,-18.5,broken
  times:   midnight,later,ok | 2026-11-29T00:00:00.000Z,2026-11-29T00:05:00.123Z,false
d3-dsv 3.0.2
  columns: at,value,error | 1,-18.4, | 2,-18.5,broken
  times:   midnight,later,ok | 2026-11-29,2026-11-29T00:05:00.123Z,false
END

echo 'Guess: a column error in each, an empty cell for the row without it; times with Z, and false'
TZ=UTC LC_ALL=en_US.UTF-8 node seen.mjs | tee seen.txt
diff expected.txt seen.txt
