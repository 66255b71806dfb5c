#!/usr/bin/env bash
# A missing value that is written over Modbus reaches the register as 0 and is reported as done. A server that answers with
# one negative register refuses the whole block that a client reads.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error modbus-serial@8.0.25

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const Modbus = require('modbus-serial')

const registers = [0, 0, 0, 215, -183, 221]
const vector = { getHoldingRegister: (address) => registers[address], setRegister: (address, value) => { registers[address] = value } }
const result = (promise) => promise.then(({ data }) => data?.join(' ') ?? 'done', (error) => `error: ${error.message}`)

async function run() {
  console.log(version('modbus-serial'))
  const server = new Modbus.ServerTCP(vector, { host: '127.0.0.1', port: 0, unitID: 1 })
  await new Promise((resolve) => server.on('initialized', resolve))
  const client = new Modbus()
  await client.connectTCP('127.0.0.1', { port: server._server.address().port })
  client.setID(1)
  client.setTimeout(2000)
  for (const value of [null, NaN, '21,5', 21.7, -183]) {
    registers[0] = 'not written'
    const outcome = await result(client.writeRegister(0, value))
    console.log(`write ${value}:`.padEnd(14), `${registers[0]}, ${outcome}`)
  }
  registers[0] = 0
  console.log('read 215:'.padEnd(14), await result(client.readHoldingRegisters(3, 1)))
  console.log('read -183:'.padEnd(14), await result(client.readHoldingRegisters(4, 1)))
  console.log('read all 6:'.padEnd(14), await result(client.readHoldingRegisters(0, 6)))
  client.close(() => {})
  server.close(() => process.exit())
}
run()
JS

cat > expected.txt <<'END'
modbus-serial 8.0.25
write null:    0, done
write NaN:     0, done
write 21,5:    0, done
write 21.7:    21, done
write -183:    not written, error: The value of "value" is out of range. It must be >= 0 and <= 65535. Received -183
read 215:      215
read -183:     error: Modbus exception 4: Slave device failure (device reports internal error)
read all 6:    error: Modbus exception 4: Slave device failure (device reports internal error)
END

echo 'Guess: an error for null, NaN and 21,5; -183 as 65353; the other registers are readable'
node seen.js | tee seen.txt
diff expected.txt seen.txt
