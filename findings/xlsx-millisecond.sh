#!/usr/bin/env bash
# Times of readings, every five minutes of a day, read back from a spreadsheet: a common library and a smaller one give
# a third of them a millisecond early, 00:04:59.999 for 00:05:00, whichever library wrote them. Cut to the minute or put into
# hours, such a reading is in the one before. A third library reads all of them right.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
  xlsx@0.18.5 exceljs@4.4.0 read-excel-file@9.3.17 write-excel-file@4.1.1

cat > seen.mjs <<'JS'
import { readFileSync } from 'node:fs'
import exceljs from 'exceljs'
import readExcelFile from 'read-excel-file/node'
import writeExcelFile from 'write-excel-file/node'
import xlsx from 'xlsx'

const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`
const midnight = Date.UTC(2026, 10, 29)
const times = Array.from({ length: 288 }, (_, at) => new Date(midnight + at * 300_000))

const writers = {
  exceljs: async (file) => {
    const workbook = new exceljs.Workbook()
    workbook.addWorksheet('readings').addRows(times.map((time) => [time]))
    await workbook.xlsx.writeFile(file)
  },
  xlsx: (file) => {
    const workbook = xlsx.utils.book_new()
    xlsx.utils.book_append_sheet(workbook, xlsx.utils.aoa_to_sheet(times.map((time) => [time])), 'readings')
    xlsx.writeFile(workbook, file)
  },
  'write-excel-file': async (file) => {
    const format = 'yyyy-mm-dd hh:mm:ss'
    await (await writeExcelFile(times.map((value) => [{ value, type: Date, format }]))).toFile(file)
  },
}
const readers = {
  exceljs: async (file) => {
    const workbook = await new exceljs.Workbook().xlsx.readFile(file)
    return workbook.worksheets[0].getColumn(1).values.slice(1)
  },
  xlsx: (file) => {
    const { Sheets, SheetNames: [name] } = xlsx.readFile(file, { cellDates: true })
    return xlsx.utils.sheet_to_json(Sheets[name], { header: 1 }).map(([time]) => time)
  },
  'read-excel-file': async (file) => (await readExcelFile(file))[0].data.map(([time]) => time),
}

console.log([...new Set([...Object.keys(writers), ...Object.keys(readers)])].map(version).join(', '))
for (const [writer, write] of Object.entries(writers)) {
  const file = `${writer}.xlsx`
  await write(file)
  for (const [reader, read] of Object.entries(readers)) {
    const seen = await read(file)
    const early = seen.filter((time, at) => Number(time) === Number(times[at]) - 1)
    const exact = seen.filter((time, at) => Number(time) === Number(times[at]))
    const first = early[0]?.toISOString().slice(11, -1) ?? 'none'
    console.log(`${writer}, read by ${reader}:`.padEnd(45), `${exact.length} exact, ${early.length} a millisecond early, the first: ${first}`)
  }
}
JS

cat > expected.txt <<'END'
exceljs 4.4.0, xlsx 0.18.5, write-excel-file 4.1.1, read-excel-file 9.3.17
exceljs, read by exceljs:                     288 exact, 0 a millisecond early, the first: none
exceljs, read by xlsx:                        192 exact, 96 a millisecond early, the first: 00:04:59.999
exceljs, read by read-excel-file:             192 exact, 96 a millisecond early, the first: 00:04:59.999
xlsx, read by exceljs:                        288 exact, 0 a millisecond early, the first: none
xlsx, read by xlsx:                           192 exact, 96 a millisecond early, the first: 00:04:59.999
xlsx, read by read-excel-file:                192 exact, 96 a millisecond early, the first: 00:04:59.999
write-excel-file, read by exceljs:            288 exact, 0 a millisecond early, the first: none
write-excel-file, read by xlsx:               192 exact, 96 a millisecond early, the first: 00:04:59.999
write-excel-file, read by read-excel-file:    192 exact, 96 a millisecond early, the first: 00:04:59.999
END

echo 'Guess: all 288 are exact'
TZ=UTC node seen.mjs | tee seen.txt
diff expected.txt seen.txt
