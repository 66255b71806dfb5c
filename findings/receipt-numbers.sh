#!/usr/bin/env bash
# Readings printed by receipt printers: two libraries leave a cell of a table empty if its value is a number, so that -18.4 is
# not on the paper; a third prints an empty line for 0. All print a question mark for the sign U+2212, which d3-format and six
# languages of Node.js put before a value below zero; one of them logs an error for it, but prints on.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
  @point-of-sale/receipt-printer-encoder@4.0.1 esc-pos-encoder@3.0.0 node-thermal-printer@4.6.1 d3-format@3.1.3

cat > seen.mjs <<'JS'
import { readFileSync } from 'node:fs'
import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder'
import { format } from 'd3-format'
import EscPosEncoder from 'esc-pos-encoder'
import printer from 'node-thermal-printer'

console.error = () => {} // node-thermal-printer logs what it cannot encode
const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`
const columns = [{ width: 12, align: 'left' }, { width: 12, align: 'right' }]

/** The letters among the bytes for a printer, without its commands at the start and the spaces between. */
const printed = (bytes) => Buffer.from(bytes).toString('latin1').replace(/\x1b@|\x1c\.|\x1b[Mt]\x00/g, '').trim().replace(/ +/g, ' ')

const libraries = {
  '@point-of-sale/receipt-printer-encoder': {
    line: (value) => new ReceiptPrinterEncoder({ columns: 32, language: 'esc-pos' }).initialize().line(value).encode(),
    table: (value) => new ReceiptPrinterEncoder({ columns: 32, language: 'esc-pos' }).initialize().table(columns, [['Room', value]]).encode(),
  },
  'esc-pos-encoder': {
    line: (value) => new EscPosEncoder({ width: 32 }).initialize().line(value).encode(),
    table: (value) => new EscPosEncoder({ width: 32 }).initialize().table(columns, [['Room', value]]).encode(),
  },
  'node-thermal-printer': {
    line: (value) => bytesOf((lines) => lines.println(value)),
    table: (value) => bytesOf((lines) => lines.table(['Room', value])),
  },
}

function bytesOf(print) {
  const lines = new printer.ThermalPrinter({ type: printer.PrinterTypes.EPSON, interface: 'tcp://127.0.0.1', width: 24 })
  print(lines)
  return lines.getBuffer()
}

const below = format('.1f')(-18.4)
const languages = ['en', 'ja', 'de', 'fi', 'nb', 'sv', 'hr', 'lt', 'sl']
const other = languages.filter((language) => new Intl.NumberFormat(language).format(-18.4).startsWith('\u2212'))
console.log(`${version('d3-format')}: ${below.startsWith('\u2212') ? 'U+2212' : 'a hyphen'}; Node.js: U+2212 in ${other.join(' ')}`)
for (const [name, { line, table }] of Object.entries(libraries)) {
  console.log(version(name))
  for (const value of [-18.4, 0, '-18.4', below]) {
    const title = value === below ? 'd3-format' : JSON.stringify(value)
    console.log(`  ${title}:`.padEnd(14), `line "${printed(line(value))}", row "${printed(table(value))}"`)
  }
}
JS

cat > expected.txt <<'END'
d3-format 3.1.3: U+2212; Node.js: U+2212 in fi nb sv hr lt sl
@point-of-sale/receipt-printer-encoder 4.0.1
  -18.4:       line "-18.4", row "Room"
  0:           line "0", row "Room"
  "-18.4":     line "-18.4", row "Room -18.4"
  d3-format:   line "?18.4", row "Room ?18.4"
esc-pos-encoder 3.0.0
  -18.4:       line "-18.4", row "Room"
  0:           line "0", row "Room"
  "-18.4":     line "-18.4", row "Room -18.4"
  d3-format:   line "?18.4", row "Room ?18.4"
node-thermal-printer 4.6.1
  -18.4:       line "-18.4", row "Room -18.4"
  0:           line "", row "Room 0"
  "-18.4":     line "-18.4", row "Room -18.4"
  d3-format:   line "?18.4", row "Room ?18.4"
END

echo 'Guess: -18.4, 0, -18.4 and -18.4 in each line and row, or an error'
node seen.mjs | tee seen.txt
diff expected.txt seen.txt
