#!/usr/bin/env bash
# What the drivers for Omron FINS and Mitsubishi MC write into a data register, seen by a stand-in for the PLC that accepts all:
# null, NaN and 21,5 are 0, a number that does not fit becomes another one, and a write that the PLC has done is told as failed.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error omron-fins@0.5.0 mcprotocol@0.1.2

cat > seen.js <<'JS'
const show = console.log
console.log = () => {} // mcprotocol logs each step
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const dgram = require('node:dgram')
const net = require('node:net')
const { FinsClient } = require('omron-fins')
const Melsec = require('mcprotocol')

const values = [null, NaN, '21,5', 21.7, -183, 70000]
const label = (value) => (typeof value === 'string' ? `"${value}"` : String(value))

async function writeAll(name, write) {
  show(version(name))
  for (const value of values) show(`D100 ${label(value)}:`.padEnd(14), await write(value))
}

/** A FINS server: its answer to each command is the end code 0000. */
function fins() {
  let register
  const server = dgram.createSocket('udp4').on('message', (request, { port, address }) => {
    register = request.readInt16BE(18)
    server.send(Buffer.concat([Buffer.from([0xc0]), request.subarray(1, 12), Buffer.from([0, 0])]), port, address)
  })
  return new Promise((resolve) => server.bind(0, '127.0.0.1', () => {
    const client = FinsClient(server.address().port, '127.0.0.1', { SA1: 4, DA1: 0 })
    const write = (value) => new Promise((written) => {
      client.write('D100', value, (error) => written(`${register}, ${error ? 'failed' : 'done'}`))
    })
    client.once('open', () => setImmediate(() => writeAll('omron-fins', write).then(resolve)))
  }))
}

/** A server for binary 3E frames: its answer to each command is the end code 0000. */
function melsec() {
  let register
  const done = Buffer.from('d00000ffff030002000000', 'hex')
  const server = net.createServer((socket) => socket.on('data', (request) => {
    register = request.readInt16LE(21)
    socket.write(done)
  }))
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => {
    const client = new Melsec()
    const write = (value) => new Promise((written) => {
      try {
        client.writeItems('D100', value, (failed) => written(`${register}, ${failed ? 'failed' : 'done'}`))
      } catch (error) {
        written(error.code)
      }
    })
    client.initiateConnection({ host: '127.0.0.1', port: server.address().port, ascii: false, frame: '3E' }, () =>
      writeAll('mcprotocol', write).then(resolve))
  }))
}

fins().then(melsec).then(() => process.exit())
JS

cat > expected.txt <<'END'
omron-fins 0.5.0
D100 null:     0, done
D100 NaN:      0, done
D100 "21,5":   0, done
D100 21.7:     21, done
D100 -183:     -183, done
D100 70000:    4464, done
mcprotocol 0.1.2
D100 null:     0, failed
D100 NaN:      0, failed
D100 "21,5":   0, failed
D100 21.7:     21, failed
D100 -183:     -183, failed
D100 70000:    ERR_OUT_OF_RANGE
END

echo 'Guess: -183 is written, and that is told; an error for the others, or 22 for 21.7'
node --no-deprecation seen.js | tee seen.txt
diff expected.txt seen.txt
