#!/usr/bin/env bash
# The smooth node: null counts as 0 in mean and maximum, one infinite value makes every later mean useless, and the standard
# deviation of a reading that does not change is NaN. The node is the real one; a stand-in for Node-RED calls it.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error node-red-node-smooth@0.1.2

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { EventEmitter } = require('node:events')

const sent = []
let Smooth
require('node-red-node-smooth/17-smooth.js')({
  nodes: {
    createNode: (node) => Object.assign(node, EventEmitter.prototype, { log() {}, send: ({ payload }) => sent.push(payload) }),
    registerType: (_type, constructor) => { Smooth = constructor },
  },
  util: {
    getMessageProperty: (message, name) => message[name],
    setMessageProperty: (message, name, value) => { message[name] = value },
  },
})

function run(action, count, values) {
  sent.length = 0
  const node = new Smooth({ action, count, round: '1' })
  for (const payload of values) node.emit('input', { payload })
  console.log(`${action} of ${values.map(String).join(' ')}: ${sent.join(' ')}`)
}

console.log(version('node-red-node-smooth'))
run('mean', 3, [-20, -20, '21,5', NaN, -20])
run('mean', 3, [-20, -20, null, -20])
run('max', 3, [-20, -20, null, -20])
run('low', 3, [-20, -20, null, -20])
run('mean', 2, [-20, Infinity, -20, -20, -20])
run('sd', 10, [4.1, 4.1, 4.1, 4.1, 4.1, 4.1])
JS

cat > expected.txt <<'END'
node-red-node-smooth 0.1.2
mean of -20 -20 21,5 NaN -20: -20 -20 -20
mean of -20 -20 null -20: -20 -20 -13.3 -13.3
max of -20 -20 null -20: -20 -20 0 0
low of -20 -20 null -20: -20 -20 -13.3 -15.6
mean of -20 Infinity -20 -20 -20: -20 Infinity Infinity NaN NaN
sd of 4.1 4.1 4.1 4.1 4.1 4.1: 0 0 0 0 0 NaN
END

echo 'Guess: null is left out, as NaN and 21,5 are; an infinite value leaves with its window; the deviation is 0'
node seen.js | tee seen.txt
diff expected.txt seen.txt
