#!/usr/bin/env bash
# The order in which two packages were installed into one folder decides what a negative Int64 of Sparkplug becomes: after the
# driver under the MySQL node, which brings a newer package for long numbers, sparkplug-payload and its decoder each get a copy
# of the older one, do not recognize each other's numbers, and -5 comes back as 18446744073709551611.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > seen.js <<'JS'
const { encodePayload, decodePayload } = require('sparkplug-payload').get('spBv1.0')

const metric = { name: 'm', type: 'Int64', value: -5, timestamp: 1 }
const decoded = decodePayload(encodePayload({ timestamp: 1, seq: 0, metrics: [metric] }))
console.log(process.argv[2].padEnd(48), `Int64 -5 is ${decoded.metrics[0].value}`)
JS

cat > expected.txt <<'END'
mysql2@3.24.6 sparkplug-payload@1.0.3            Int64 -5 is 18446744073709551611
sparkplug-payload@1.0.3 mysql2@3.24.6            Int64 -5 is -5
END

run() {
  rm -rf node_modules package.json package-lock.json
  echo '{"private": true}' > package.json
  for package in $1; do npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$package" >&2; done
  node seen.js "$1"
}

echo 'Guess: -5 in both orders'
{
  run 'mysql2@3.24.6 sparkplug-payload@1.0.3'
  run 'sparkplug-payload@1.0.3 mysql2@3.24.6'
} | tee seen.txt
diff expected.txt seen.txt
