#!/usr/bin/env bash
# Temperatures below zero sent as gauges to StatsD: its protocol takes a number with a sign for a change, so a freezer that
# stays at -18.4 has -36.8 after two readings and -55.2 after three, and a fridge that goes from 4 to -0.5 has 3.5. A 0 sent
# before makes it right. The client sends what it gets, also null. Client and server are the real ones.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error hot-shots@17.1.1 statsd@0.9.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { writeFileSync } = require('node:fs')
const dgram = require('node:dgram')
const net = require('node:net')
const { setTimeout: wait } = require('node:timers/promises')
const StatsD = require('hot-shots')

const host = '127.0.0.1'

async function freePort() {
  const server = net.createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}

/** A gauge of the server, as it tells it at its port for administration. */
async function gauge(port, name) {
  const socket = net.connect(port, host)
  let answer = ''
  socket.on('data', (data) => { answer += data }).write('gauges\n')
  while (!answer.includes('END')) await once(socket, 'data')
  socket.destroy()
  return Number(RegExp(`${name}: ([^,\\s]+)`).exec(answer)[1])
}

async function reached(port) {
  for (let tries = 0; tries < 100; tries++) {
    const socket = net.connect(port, host)
    const isOpen = await once(socket, 'connect').then(() => true, () => false)
    socket.destroy()
    if (isOpen) return
    await wait(100)
  }
}

async function sent(value) {
  const receiver = dgram.createSocket('udp4')
  receiver.bind(0, host)
  await once(receiver, 'listening')
  const client = new StatsD({ host, port: receiver.address().port })
  client.gauge('room', value)
  const [datagram] = await once(receiver, 'message')
  client.close()
  receiver.close()
  return String(datagram).trim()
}

async function run() {
  console.log(`${version('hot-shots')}, ${version('statsd')}`)
  const port = await freePort()
  const administration = await freePort()
  const settings = { port, address: host, mgmt_port: administration, mgmt_address: host, flushInterval: 600000 }
  writeFileSync('settings.js', JSON.stringify({ ...settings, backends: [] }))
  const server = spawn(process.execPath, ['node_modules/statsd/stats.js', 'settings.js'], { stdio: 'ignore' })
  await reached(administration)

  const client = new StatsD({ host, port })
  const readings = { freezer: [-18.4, -18.4, -18.4], fridge: [4, -0.5], cooler: [-18.4, 0, -18.4], room: [21, 21] }
  for (const [name, values] of Object.entries(readings))
    for (const value of values) {
      client.gauge(name, value)
      await wait(100)
      console.log(`${name} ${value}:`.padEnd(15), (await gauge(administration, name)).toFixed(1))
    }
  client.close()
  server.kill()
  for (const value of [null, NaN, '21,5']) console.log(`sent for ${value}:`.padEnd(15), await sent(value))
}
run()
JS

cat > expected.txt <<'END'
hot-shots 17.1.1, statsd 0.9.0
freezer -18.4:  -18.4
freezer -18.4:  -36.8
freezer -18.4:  -55.2
fridge 4:       4.0
fridge -0.5:    3.5
cooler -18.4:   -18.4
cooler 0:       0.0
cooler -18.4:   -18.4
room 21:        21.0
room 21:        21.0
sent for null:  room:null|g
sent for NaN:   room:NaN|g
sent for 21,5:  room:21,5|g
END

echo 'Guess: a gauge is the last value that was sent; null is left out'
node seen.js | tee seen.txt
diff expected.txt seen.txt
