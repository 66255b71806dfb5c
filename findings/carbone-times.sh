#!/usr/bin/env bash
# Times of readings in reports that carbone makes of a template: unless a time zone is given, they are those of Paris, wherever
# the computer is; and milliseconds or seconds since 1970, as numbers, are a day in 1802. A condition finds a reading without a
# value neither below nor above a limit, so that "else" says that a freezer is warm.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error carbone@3.8.2

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { writeFileSync } = require('node:fs')
const { promisify } = require('node:util')
const carbone = require('carbone')

async function show(title, template, value, options = {}) {
  writeFileSync('template.html', `<p>${template}</p>`)
  const page = await promisify(carbone.render)('template.html', { value }, options)
  console.log(`  ${title}`.padEnd(45), String(page).replace(/<\/?p>/g, ''))
}

async function run() {
  console.log(`${version('carbone')}, the computer is in ${process.env.TZ}`)
  const time = "{d.value:formatD('YYYY-MM-DD HH:mm')}"
  await show('2026-11-29T00:05:00Z', time, '2026-11-29T00:05:00Z')
  await show('2026-11-29T00:05:00Z, timezone Asia/Tokyo', time, '2026-11-29T00:05:00Z', { timezone: 'Asia/Tokyo' })
  await show('1795910700123', time, 1795910700123, { timezone: 'UTC' })
  await show('1795910700', time, 1795910700, { timezone: 'UTC' })
  for (const value of [-18.4, 9, null])
    await show(`${value}: below 8 good, else warm`, '{d.value:ifLT(8):show(good):elseShow(warm)}', value)
  process.exit()
}
run()
JS

cat > expected.txt <<'END'
carbone 3.8.2, the computer is in UTC
  2026-11-29T00:05:00Z                        2026-11-29 01:05
  2026-11-29T00:05:00Z, timezone Asia/Tokyo   2026-11-29 09:05
  1795910700123                               1802-07-07 00:12
  1795910700                                  1802-07-07 00:00
  -18.4: below 8 good, else warm              good
  9: below 8 good, else warm                  warm
  null: below 8 good, else warm               warm
carbone 3.8.2, the computer is in Asia/Tokyo
  2026-11-29T00:05:00Z                        2026-11-29 01:05
  2026-11-29T00:05:00Z, timezone Asia/Tokyo   2026-11-29 09:05
  1795910700123                               1802-07-06 14:53
  1795910700                                  1802-07-06 14:41
  -18.4: below 8 good, else warm              good
  9: below 8 good, else warm                  warm
  null: below 8 good, else warm               warm
END

echo 'Guess: 00:05 UTC and 09:05 in Tokyo, 2026 for both numbers, and nothing for null'
for zone in UTC Asia/Tokyo; do TZ=$zone node seen.js; done | tee seen.txt
diff expected.txt seen.txt
