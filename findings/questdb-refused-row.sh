#!/usr/bin/env bash
# The client of QuestDB: after one row with null, every later row is refused too, and a time in milliseconds is taken as
# microseconds, that is 1970. A server that only shows what arrives takes the place of the database.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @questdb/nodejs-client@4.2.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const http = require('node:http')
const { Sender } = require('@questdb/nodejs-client')

const server = http.createServer(async (request, response) => {
  for await (const lines of request) console.log('arrived:', String(lines).trim().replace(/\n/g, ' | '))
  response.writeHead(204).end()
})

async function main() {
  const at = `127.0.0.1:${server.address().port}`
  const sender = await Sender.fromConfig(`http::addr=${at};auto_flush=off;protocol_version=1`)
  const row = async (value, send) => {
    try {
      await send(sender.table('readings').floatColumn('value', value))
      console.log(`${value}: taken`)
    } catch (error) {
      console.log(`${value}: ${error.message}`)
    }
  }
  console.log(version('@questdb/nodejs-client'))
  await row(21.5, (line) => line.at(1795910400000))
  await row(null, (line) => line.at(1795910400000))
  await row(21.7, (line) => line.at(1795910400000))
  await sender.flush()
  await row(21.8, (line) => line.at(1795910400000))
  sender.reset()
  await row(21.9, (line) => line.at(1795910400000, 'ms'))
  await sender.flush()
  await sender.close()
  server.close()
}

server.listen(0, '127.0.0.1', main)
JS

cat > expected.txt <<'END'
@questdb/nodejs-client 4.2.0
21.5: taken
null: Column value must be of type number, received object
21.7: Table name has already been set
arrived: readings value=21.5 1795910400000000
21.8: Table name has already been set
21.9: taken
arrived: readings value=21.9 1795910400000000000
END

echo 'Guess: only the row with null is missing; a number is a time in milliseconds'
node seen.js | tee seen.txt
diff expected.txt seen.txt
