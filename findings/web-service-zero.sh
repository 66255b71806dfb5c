#!/usr/bin/env bash
# Readings that a web service made with Fastify receives and returns: with a schema that asks for a number, null becomes 0, a
# space 0 and true 1; that of "a number or null" gives null or 0 depending on how it is written. In answers null becomes 0,
# -18.5 as integer -18 and the text false true. Nothing is refused. The coercion of Zod makes 0 and 1970 of null too.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error fastify@5.12.8 zod@4.6.7

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const fastify = require('fastify')
const { z } = require('zod')

const text = (value) => JSON.stringify(value)

async function received(schema, value) {
  const body = { type: 'object', properties: { value: schema } }
  const service = fastify()
  service.post('/', { schema: { body } }, ({ body }) => body)
  const { statusCode, body: answer } = await service.inject({ method: 'POST', url: '/', payload: { value } })
  console.log(`receives ${text(value)} as ${text(schema)}:`.padEnd(66), statusCode === 200 ? answer : statusCode)
}

async function returned(schema, value) {
  const service = fastify()
  service.get('/', { schema: { response: { 200: { type: 'object', properties: { value: schema } } } } }, async () => ({ value }))
  const { statusCode, body: answer } = await service.inject('/')
  console.log(`returns ${text(value)} as ${text(schema)}:`.padEnd(66), statusCode === 200 ? answer : statusCode)
}

const type = (type) => ({ type })

async function run() {
  console.log(version('fastify'))
  for (const value of [null, ' ', true, [21], '21,5']) await received(type('number'), value)
  await received(type('string'), null)
  await received(type('boolean'), null)
  await received(type(['number', 'null']), null)
  await received({ anyOf: [type('number'), type('null')] }, null)
  await received({ anyOf: [type('null'), type('number')] }, null)
  for (const value of [null, '', '21,5']) await returned(type('number'), value)
  await returned(type('integer'), -18.5)
  await returned(type('boolean'), 'false')
  await returned(type(['number', 'null']), null)

  console.log(version('zod'))
  for (const value of [null, '', ' ', '21,5']) {
    const { data } = z.coerce.number().safeParse(value)
    console.log(`coerces ${text(value)} to a number:`.padEnd(66), data ?? 'refused')
  }
  console.log('coerces null to a date:'.padEnd(66), text(z.coerce.date().parse(null)))
}
run()
JS

cat > expected.txt <<'END'
fastify 5.12.8
receives null as {"type":"number"}:                                {"value":0}
receives " " as {"type":"number"}:                                 {"value":0}
receives true as {"type":"number"}:                                {"value":1}
receives [21] as {"type":"number"}:                                {"value":21}
receives "21,5" as {"type":"number"}:                              400
receives null as {"type":"string"}:                                {"value":""}
receives null as {"type":"boolean"}:                               {"value":false}
receives null as {"type":["number","null"]}:                       {"value":null}
receives null as {"anyOf":[{"type":"number"},{"type":"null"}]}:    {"value":0}
receives null as {"anyOf":[{"type":"null"},{"type":"number"}]}:    {"value":null}
returns null as {"type":"number"}:                                 {"value":0}
returns "" as {"type":"number"}:                                   {"value":0}
returns "21,5" as {"type":"number"}:                               500
returns -18.5 as {"type":"integer"}:                               {"value":-18}
returns "false" as {"type":"boolean"}:                             {"value":true}
returns null as {"type":["number","null"]}:                        {"value":null}
zod 4.6.7
coerces null to a number:                                          0
coerces "" to a number:                                            0
coerces " " to a number:                                           0
coerces "21,5" to a number:                                        refused
coerces null to a date:                                            "1970-01-01T00:00:00.000Z"
END

echo 'Guess: null is refused where a number is asked for, and stays null where it is allowed, as do the others'
node seen.js | tee seen.txt
diff expected.txt seen.txt
