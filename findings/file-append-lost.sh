#!/usr/bin/env bash
# The write file node, as it appends to the file that a message names: if the file cannot be opened, a message that waits behind the
# one that failed is not written, and no catch node hears of it; it goes on to the next node and counts as complete, like one that is
# written. So does each one that failed, besides its error.
# The node is the real one; a stand-in for Node-RED calls it. The file cannot be opened because a folder has its name.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @node-red/nodes@4.1.15

cat > seen.js <<'JS'
const { EventEmitter } = require('node:events')
const { mkdirSync } = require('node:fs')
const { setTimeout: wait } = require('node:timers/promises')
console.log(`@node-red/nodes ${require('./node_modules/@node-red/nodes/package.json').version}`)

let File
let failed = []
require('@node-red/nodes/core/storage/10-file.js')({
  _: (key) => key,
  settings: {},
  util: { evaluateNodeProperty: (_name, _type, _node, msg, back) => back(null, msg.filename) },
  nodes: {
    createNode: (node) =>
      Object.assign(node, EventEmitter.prototype, {
        error: (_text, msg) => failed.push(msg.payload),
        status() {}, debug() {}, warn() {},
      }),
    registerType: (type, constructor) => { if (type === 'file') File = constructor },
  },
})

async function show(title, filename, pause) {
  failed = []
  const [passed, done] = [[], []]
  const node = new File({ filename: 'filename', filenameType: 'msg', overwriteFile: 'false', encoding: 'none' })
  for (const payload of ['first', 'second', 'third', 'fourth']) {
    node.emit('input', { payload, filename }, (msg) => passed.push(msg.payload), () => done.push(payload))
    if (pause > 0) await wait(pause)
  }
  await wait(500)
  const text = (list) => list.join(', ') || 'none'
  console.log(`${title}\n  to catch nodes: ${text(failed)}\n  to the next node: ${text(passed)}\n  complete: ${text(done)}`)
}

async function main() {
  mkdirSync('folder')
  await show('a file, at once', 'a.txt', 0)
  await show('a folder, at once', 'folder', 0)
  await show('a folder, one at a time', 'folder', 200)
}
main()
JS

cat > expected.txt <<'END'
@node-red/nodes 4.1.15
a file, at once
  to catch nodes: none
  to the next node: first, second, third, fourth
  complete: first, second, third, fourth
a folder, at once
  to catch nodes: first, third, fourth
  to the next node: first, second, third, fourth
  complete: first, first, second, third, third, fourth, fourth
a folder, one at a time
  to catch nodes: first, second, third, fourth
  to the next node: first, second, third, fourth
  complete: first, first, second, second, third, third, fourth, fourth
END

echo 'Guess: each of four messages that cannot be written reaches a catch node, and none the next node'
node seen.js | tee seen.txt
diff expected.txt seen.txt
