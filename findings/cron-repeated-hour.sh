#!/usr/bin/env bash
# The scheduler under Node-RED's inject node, in the night in which clocks are set back: a job for every 20 minutes pauses for
# 80 minutes, and one for every hour for two hours.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error cronosjs@1.7.1

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { CronosExpression } = require('cronosjs')

console.log(version('cronosjs'))
function show(expression, count) {
  const job = CronosExpression.parse(expression, { timezone: 'Europe/Berlin' })
  const times = job.nextNDates(new Date('2026-10-24T23:50:00Z'), count)
  console.log(expression.padEnd(13), times.map((time) => `${time.toISOString().slice(11, 16)}Z`).join(' '))
}
show('*/20 * * * *', 5)
show('0 * * * *', 3)
show('30 2 * * *', 1)
JS

cat > expected.txt <<'END'
cronosjs 1.7.1
*/20 * * * *  00:00Z 00:20Z 00:40Z 02:00Z 02:20Z
0 * * * *     00:00Z 02:00Z 03:00Z
30 2 * * *    00:30Z
END

echo 'Guess: every 20 minutes of the 25-hour day'
node seen.js | tee seen.txt
diff expected.txt seen.txt
