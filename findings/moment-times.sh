#!/usr/bin/env bash
# The moment (date/time formatter) node: a reading without a time gets the current time, without a warning, and texts that are no
# times, or times as they are written in Japan, become other times. The node is the real one; a stand-in for Node-RED calls it.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error node-red-contrib-moment@4.0.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { EventEmitter } = require('node:events')

let said
const nodes = {}
require('node-red-contrib-moment/moment/nrmoment.js')({
  httpAdmin: { get() {} },
  auth: { needsPermission() {} },
  nodes: {
    createNode: (node) => Object.assign(node, EventEmitter.prototype, { status() {}, warn: () => said.push('a warning'), send() {} }),
    registerType: (type, constructor) => { nodes[type] = constructor },
  },
  util: {
    getMessageProperty: (message, name) => message[name],
    setMessageProperty: (message, name, value) => { message[name] = value },
  },
})

function run(time) {
  said = []
  const zone = 'Asia/Tokyo'
  const node = new nodes.moment({ topic: '', input: 'time', inputType: 'msg', output: 'payload', outputType: 'msg', inTz: zone, outTz: zone, locale: 'en' })
  node.emit('input', { time }, ({ payload }) => {
    const now = Math.abs(Date.parse(payload) - Date.now()) < 60_000
    said.push(now ? 'now' : payload || 'an empty text')
  })
  console.log(`${typeof time === 'string' ? `"${time}"` : time}: ${said.join(', ')}`)
}

console.log(version('node-red-contrib-moment'))
for (const time of [1795910400000, '2026-11-29 09:00', '2026年11月29日 09:00', undefined, null, '00012345']) run(time)
JS

cat > expected.txt <<'END'
node-red-contrib-moment 4.0.0
1795910400000: 2026-11-29T00:00:00.000Z
"2026-11-29 09:00": 2026-11-29T00:00:00.000Z
"2026年11月29日 09:00": 2029-01-11T00:00:00.000Z
undefined: now
null: a warning, an empty text
"00012345": 2045-01-22T15:00:00.000Z
END

echo 'Guess: the first three are the same time; a warning and no time for the others'
node seen.js | tee seen.txt
diff expected.txt seen.txt
