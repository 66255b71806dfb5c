#!/usr/bin/env bash
# Series of readings that are reduced to a few points for a chart, by a common method that keeps the shape: beside a reading
# without a value, the warm peak of a freezer is missing, because null is taken as 0 and kept instead; the chart shows no alarm.
# With NaN, one library repeats a point and the other stops with an error.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error downsample@1.4.0 downsample-lttb@0.0.1

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { LTTB, LTOB } = require('downsample')
const { processData } = require('downsample-lttb')

/** Sixty readings of a freezer at -18: the one at 29 has the value given, the one at 31 is -5. */
const readings = (value) => Array.from({ length: 60 }, (_, at) => [at, at === 29 ? value : at === 31 ? -5 : -18 + (at % 2) / 10])

function show(name, reduce) {
  console.log(name)
  for (const value of [-18, null, NaN]) {
    let seen
    try {
      seen = reduce(readings(value), 8).map(([at, value]) => `${at}: ${value}`).join(', ')
    } catch {
      seen = 'error'
    }
    console.log(`  ${value}:`.padEnd(7), seen)
  }
}
show(`${version('downsample')}, LTTB`, LTTB)
show(`${version('downsample')}, LTOB`, LTOB)
show(version('downsample-lttb'), processData)
JS

cat > expected.txt <<'END'
downsample 1.4.0, LTTB
  -18:  0: -18, 1: -17.9, 10: -18, 29: -18, 31: -5, 39: -17.9, 50: -18, 59: -17.9
  null: 0: -18, 1: -17.9, 18: -18, 29: null, 30: -18, 39: -17.9, 50: -18, 59: -17.9
  NaN:  error
downsample 1.4.0, LTOB
  -18:  0: -18, 7: -17.9, 15: -17.9, 22: -18, 31: -5, 37: -17.9, 45: -17.9, 59: -17.9
  null: 0: -18, 7: -17.9, 15: -17.9, 29: null, 30: -18, 37: -17.9, 45: -17.9, 59: -17.9
  NaN:  0: -18, 7: -17.9, 15: -17.9, 22: -18, 31: -5, 37: -17.9, 45: -17.9, 59: -17.9
downsample-lttb 0.0.1
  -18:  0: -18, 1: -17.9, 10: -18, 29: -18, 31: -5, 39: -17.9, 50: -18, 59: -17.9
  null: 0: -18, 1: -17.9, 18: -18, 29: null, 30: -18, 39: -17.9, 50: -18, 59: -17.9
  NaN:  0: -18, 1: -17.9, 1: -17.9, 28: -18, 31: -5, 39: -17.9, 50: -18, 59: -17.9
END

echo 'Guess: the point 31: -5 is kept in each line, since it is the highest by far'
node seen.js | tee seen.txt
diff expected.txt seen.txt
