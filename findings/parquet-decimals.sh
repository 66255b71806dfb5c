#!/usr/bin/env bash
# Readings as decimals in Parquet: what a number lacks to a whole number of hundredths is cut off, so 1.15 becomes 1.14 and
# 0.29 0.28, and the library reads back other values from its own file than were written, which another reader reads well.
# A text as a time becomes two seconds after 1970, "21,5" 21, and the text false true. (1.9.3 comes without its code.)
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @dsnp/parquetjs@1.8.8 hyparquet@1.33.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version.replace('v', '')}`
const { ParquetReader, ParquetSchema, ParquetWriter } = require('@dsnp/parquetjs')

const file = 'readings.parquet'

async function write(type, values) {
  const writer = await ParquetWriter.openFile(new ParquetSchema({ value: type }), file)
  for (const value of values) await writer.appendRow({ value })
  await writer.close()
}

async function readBack() {
  const reader = await ParquetReader.openFile(file)
  const cursor = reader.getCursor()
  const values = []
  for (let row = await cursor.next(); row; row = await cursor.next()) values.push(row.value)
  await reader.close()
  return values
}

async function readByOther() {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet')
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
  return rows.map(({ value }) => value)
}

const list = (values) => values.map((value) => (value instanceof Date ? value.toISOString() : value)).join(' ')

async function run() {
  console.log(`${version('@dsnp/parquetjs')}, ${version('hyparquet')}`)
  const values = [-18.45, 1.15, 0.29, 4.35, 21.5]
  console.log('written:'.padEnd(28), list(values))
  for (const precision of [6, 12]) {
    await write({ type: 'DECIMAL', precision, scale: 2 }, values)
    console.log(`${precision} digits, by itself:`.padEnd(28), list(await readBack()))
    console.log(`${precision} digits, by hyparquet:`.padEnd(28), list(await readByOther()))
  }
  for (const [type, value] of [['TIMESTAMP_MILLIS', '2026-11-29T00:00:00Z'], ['DOUBLE', '21,5'], ['BOOLEAN', 'false']]) {
    await write({ type }, [value])
    console.log(`"${value}":`.padEnd(28), list(await readBack()))
  }
}
run()
JS

cat > expected.txt <<'END'
@dsnp/parquetjs 1.8.8, hyparquet 1.33.0
written:                     -18.45 1.15 0.29 4.35 21.5
6 digits, by itself:         -18.45 -0.01 1.14 0 0.28
6 digits, by hyparquet:      -18.45 1.14 0.28 4.34 21.5
12 digits, by itself:        -18.45 1.14 0.28 4.34 21.5
12 digits, by hyparquet:     -18.45 1.14 0.28 4.34 21.5
"2026-11-29T00:00:00Z":      1970-01-01T00:00:02.026Z
"21,5":                      21
"false":                     true
END

echo 'Guess: both read back what was written; a text is refused where it is no such value'
node seen.js | tee seen.txt
diff expected.txt seen.txt
