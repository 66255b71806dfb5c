#!/usr/bin/env bash
# Serial numbers of loggers and a decimal comma, in quotes, read from CSV by three readers from npm with their conversion of
# numbers: all make 52140 of 5214E001, two make one number of 52140E12 and 5214E013, and one makes -184 of -18,4.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error xlsx@0.18.5 papaparse@5.7.1 csv-parse@7.0.3

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const XLSX = require('xlsx')
const Papa = require('papaparse')
const { parse } = require('csv-parse/sync')

const csv = 'serial,value,other\n"5214E001","-18,4","00012345"\n"52140E12","-18.4","5214E013"\n'
const show = (name, rows) => rows.forEach((row) => console.log(version(name).padEnd(16), JSON.stringify(row)))

const { Sheets } = XLSX.read(csv, { type: 'string' })
show('xlsx', XLSX.utils.sheet_to_json(Sheets.Sheet1, { header: 1 }).slice(1))
show('papaparse', Papa.parse(csv, { dynamicTyping: true, skipEmptyLines: true }).data.slice(1))
show('csv-parse', parse(csv, { cast: true }).slice(1))
JS

cat > expected.txt <<'END'
xlsx 0.18.5      [52140,-184,12345]
xlsx 0.18.5      [52140000000000000,-18.4,52140000000000000]
papaparse 5.7.1  [52140,"-18,4",12345]
papaparse 5.7.1  ["52140E12",-18.4,"5214E013"]
csv-parse 7.0.3  [52140,"-18,4",12345]
csv-parse 7.0.3  [52140000000000000,-18.4,52140000000000000]
END

echo 'Guess: a serial number stays text; -18,4 is text or -18.4'
node seen.js | tee seen.txt
diff expected.txt seen.txt
