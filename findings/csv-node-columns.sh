#!/usr/bin/env bash
# The csv node as it is dropped into a flow, without names of columns: a value that is null or missing moves the values after it
# one column to the left, and a property that comes in another order stays where it came. With the headings sent once, as for a
# file that grows, humidities are read as temperatures. In an array, a property that the first row lacks is in no row. All that
# tells of it is one warning, at the first row. Both parsers do it. The node is the real one; a stand-in for Node-RED calls it.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @node-red/nodes@4.1.15 @node-red/util@4.1.15

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { EventEmitter } = require('node:events')

const texts = require('@node-red/nodes/locales/en-US/messages.json')
const textOf = (key) => key.split('.').reduce((part, name) => part[name], texts)
let sent = []
let warnings = 0
let Csv
require('@node-red/nodes/core/parsers/70-CSV.js')({
  _: textOf,
  util: require('@node-red/util').util,
  nodes: {
    createNode: (node) =>
      Object.assign(node, EventEmitter.prototype, {
        error: console.error,
        status() {},
        warn: () => { warnings++ },
      }),
    registerType: (_type, constructor) => { Csv = constructor },
  },
})

function show(title, settings, payloads) {
  for (const spec of ['rfc', '']) {
    sent = []
    warnings = 0
    const node = new Csv({ sep: ',', ret: '\\n', temp: '', hdrin: '', skip: '0', multi: 'one', strings: true, spec, ...settings })
    for (const payload of structuredClone(payloads)) node.emit('input', { payload }, (message) => sent.push(message.payload), () => {})
    console.log(`${title}, ${spec || 'older'} parser, warnings: ${warnings}\n${sent.join('').trim().replace(/^/gm, '  ')}`)
  }
}

console.log(version('@node-red/nodes'))
const rows = [
  { time: '09:00', temperature: -18.4, humidity: 55 },
  { time: '09:05', temperature: null, humidity: 56 },
  { time: '09:10', humidity: 57 },
  { humidity: 58, temperature: -18.3, time: '09:15' },
]
show('one by one, headings once', { hdrout: 'once' }, rows)
show('the same with columns', { hdrout: 'once', temp: 'time,temperature,humidity' }, rows)
const later = [{ time: '09:00', temperature: -18.4 }, { time: '09:05', temperature: -18.5, humidity: 56 }]
show('an array', { hdrout: 'all' }, [later])
JS

cat > expected.txt <<'END'
@node-red/nodes 4.1.15
one by one, headings once, rfc parser, warnings: 1
  time,temperature,humidity
  09:00,-18.4,55
  09:05,56
  09:10,57
  58,-18.3,09:15
one by one, headings once, older parser, warnings: 1
  time,temperature,humidity
  09:00,-18.4,55
  09:05,56
  09:10,57
  58,-18.3,09:15
the same with columns, rfc parser, warnings: 0
  time,temperature,humidity
  09:00,-18.4,55
  09:05,null,56
  09:10,,57
  09:15,-18.3,58
the same with columns, older parser, warnings: 0
  time,temperature,humidity
  09:00,-18.4,55
  09:05,null,56
  09:10,,57
  09:15,-18.3,58
an array, rfc parser, warnings: 0
  time,temperature
  09:00,-18.4
  09:05,-18.5
an array, older parser, warnings: 0
  time,temperature
  09:00,-18.4
  09:05,-18.5
END

echo 'Guess: an empty cell for what is null or missing, each value below its heading, and a column humidity for the array'
node seen.js | tee seen.txt
diff expected.txt seen.txt
