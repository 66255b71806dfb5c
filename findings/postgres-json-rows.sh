#!/usr/bin/env bash
# Rows of JSON into PostgreSQL (PGlite, which is PostgreSQL compiled to WebAssembly) with the driver pg: one fraction in a column
# of whole numbers refuses all rows, although a cast would round it; a list must be passed as text; NaN passes every limit.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1

cat > seen.js <<'JS'
const pg = require('pg')

async function run() {
  const { PGlite } = await import('@electric-sql/pglite')
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket')
  const db = await PGlite.create()
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 })
  const address = await new Promise((resolve) => {
    server.addEventListener('listening', ({ detail }) => resolve(detail))
    server.start()
  })
  const client = new pg.Client({ ...address, user: 'postgres', database: 'postgres' })
  await client.connect()
  const show = (what, text, values) =>
    client.query(text, values).then(({ rows }) => JSON.stringify(rows), ({ message }) => message)
      .then((seen) => console.log(what.padEnd(30), seen))
  const rows = (type) => `select v from jsonb_to_recordset($1) as row (v ${type})`
  const values = [{ v: 4 }, { v: 21.7 }]

  await show('version', "select split_part(version(), ' on ', 1) as v")
  await show('cast to integer', 'select 21.7::integer as v')
  await show('rows, integer', rows('integer'), [JSON.stringify(values)])
  await show('rows, double precision', rows('double precision'), [JSON.stringify(values)])
  await show('rows as a list', rows('double precision'), [values])
  await show('bigint, numeric', 'select 5::bigint as b, 21.70::numeric as n')
  await show('NaN above 100', "select 'NaN'::double precision > 100 as above")
  await show('highest of 21.7 and NaN', "select max(v)::text from (values (21.7), ('NaN'::double precision)) as t (v)")
  await client.end()
  process.exit()
}
run()
JS

cat > expected.txt <<'END'
version                        [{"v":"PostgreSQL 18.6 (PGlite 0.5.14)"}]
cast to integer                [{"v":22}]
rows, integer                  invalid input syntax for type integer: "21.7"
rows, double precision         [{"v":4},{"v":21.7}]
rows as a list                 invalid input syntax for type json
bigint, numeric                [{"b":"5","n":"21.70"}]
NaN above 100                  [{"above":true}]
highest of 21.7 and NaN        [{"max":"NaN"}]
END

echo 'Guess: 21.7 is rounded to 22; a list is passed as JSON; NaN is not above 100'
node seen.js | tee seen.txt
diff expected.txt seen.txt
