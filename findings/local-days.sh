#!/usr/bin/env bash
# Days, months and daily events of a time zone, with two libraries that are told the zone: where clocks change, the
# next day and the end of a month are an hour off unless the computer is in that zone too, on one computer even the start of a
# day; and a daily event is at the right time only if the computer is in UTC.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error dayjs@1.11.23 rrule@2.8.1

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const dayjs = require('dayjs')
const { rrulestr } = require('rrule')

dayjs.extend(require('dayjs/plugin/utc'))
dayjs.extend(require('dayjs/plugin/timezone'))
const berlin = (time) => dayjs.tz(time, 'Europe/Berlin')
const show = (what, time) => console.log(`  ${what}:`.padEnd(38), time.toISOString().slice(0, 16))

console.log(`${version('dayjs')}, ${version('rrule')}, the computer is in ${process.env.TZ}`)
show('start of October 25', berlin('2026-10-25 12:00').startOf('day'))
show('October 25 00:00 and a day', berlin('2026-10-25 00:00').add(1, 'day'))
show('October 1 00:00 and a month', berlin('2026-10-01 00:00').add(1, 'month'))
const [, event] = rrulestr('DTSTART;TZID=Europe/Berlin:20261126T030000\nRRULE:FREQ=DAILY;COUNT=2').all()
show('daily 03:00, on November 27', event)
JS

cat > expected.txt <<'END'
dayjs 1.11.23, rrule 2.8.1, the computer is in UTC
  start of October 25:                 2026-10-24T22:00
  October 25 00:00 and a day:          2026-10-25T22:00
  October 1 00:00 and a month:         2026-10-31T22:00
  daily 03:00, on November 27:         2026-11-27T02:00
dayjs 1.11.23, rrule 2.8.1, the computer is in Europe/Berlin
  start of October 25:                 2026-10-24T22:00
  October 25 00:00 and a day:          2026-10-25T23:00
  October 1 00:00 and a month:         2026-10-31T23:00
  daily 03:00, on November 27:         2026-11-27T03:00
dayjs 1.11.23, rrule 2.8.1, the computer is in Asia/Tokyo
  start of October 25:                 2026-10-24T22:00
  October 25 00:00 and a day:          2026-10-25T22:00
  October 1 00:00 and a month:         2026-10-31T22:00
  daily 03:00, on November 27:         2026-11-27T11:00
dayjs 1.11.23, rrule 2.8.1, the computer is in America/New_York
  start of October 25:                 2026-10-24T23:00
  October 25 00:00 and a day:          2026-10-25T22:00
  October 1 00:00 and a month:         2026-10-31T22:00
  daily 03:00, on November 27:         2026-11-26T21:00
END

echo 'Guess: 2026-10-24T22:00, 2026-10-25T23:00, 2026-10-31T23:00 and 2026-11-27T02:00 on each computer'
for zone in UTC Europe/Berlin Asia/Tokyo America/New_York; do TZ=$zone node seen.js; done | tee seen.txt
diff expected.txt seen.txt
