#!/usr/bin/env bash
# The e-mail node with two recipients of which the mail server refuses one: the node reports the message as sent, without an
# error or a warning. The node is the real one; a stand-in for Node-RED calls it, because Node-RED adds nothing to it here.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error node-red-node-email@5.2.5

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { EventEmitter } = require('node:events')
const node = require.resolve('node-red-node-email/61-email.js')
const { SMTPServer } = require('node:module').createRequire(node)('smtp-server')

const said = []
const nodes = {}
const RED = {
  _: (key) => key,
  nodes: {
    createNode(node) {
      Object.assign(node, EventEmitter.prototype, {
        status() {},
        log() {},
        warn: (text) => said.push(`warning ${text}`),
        error: (error) => said.push(`error ${error.message ?? error}`),
      })
    },
    registerType: (type, constructor) => { nodes[type] = constructor },
  },
  util: { ensureString: String },
}
require(node)(RED)

/** A server that knows only one of the people. */
const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo: ({ address }, _session, done) => done(address === 'night@plant.example' ? null : new Error('no such user')),
  onData(stream, { envelope }, done) {
    said.push(`mail for ${envelope.rcptTo.map(({ address }) => address).join()}`)
    stream.resume().on('end', done)
  },
})

async function send(port, to) {
  said.length = 0
  const node = new nodes['e-mail']({ name: to, server: '127.0.0.1', port, secure: false, tls: false, authtype: 'NONE' })
  await new Promise((resolve) => node.emit('input', { topic: 'Freezer 1: too warm', payload: '-9.8' }, resolve, (error) => {
    said.push(error ? 'failed' : 'done')
    resolve()
  }))
  console.log(`${to}:\n  ${said.join(', ')}`)
}

server.listen(0, '127.0.0.1', async () => {
  console.log(version('node-red-node-email'))
  const { port } = server.server.address()
  await send(port, 'night@plant.example')
  await send(port, 'night@plant.example,boss@plant.example')
  process.exit()
})
JS

cat > expected.txt <<'END'
node-red-node-email 5.2.5
night@plant.example:
  mail for night@plant.example, done
night@plant.example,boss@plant.example:
  mail for night@plant.example, done
END

echo 'Guess: an error that names the refused recipient'
node seen.js | tee seen.txt
diff expected.txt seen.txt
