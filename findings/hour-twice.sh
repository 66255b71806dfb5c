#!/usr/bin/env bash
# Readings put into hours of a time zone in the night in which clocks are set back, so that 02:00 to 03:00 occurs twice: three
# libraries take both hours for one, and with two of them the zone of the computer decides which. There, even the start of a
# minute is an hour away from its reading, and a list of all hours lacks one; the other gives the hours after the change the
# offset before it. Two libraries are right on each computer.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
  dayjs@1.11.23 date-fns@4.4.0 @date-fns/tz@1.5.0 date-fns-tz@3.2.0 luxon@3.7.2 moment-timezone@0.6.6

cat > seen.js <<'JS'
const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`
const { readFileSync } = require('node:fs')
const { TZDate } = require('@date-fns/tz')
const dates = require('date-fns')
const { fromZonedTime, toZonedTime } = require('date-fns-tz')
const dayjs = require('dayjs')
const { DateTime } = require('luxon')
const moment = require('moment-timezone')

dayjs.extend(require('dayjs/plugin/utc'))
dayjs.extend(require('dayjs/plugin/timezone'))

const zone = 'Europe/Berlin'
/** 02:38 before the change, and 02:38 after it. */
const readings = [Date.UTC(2026, 9, 25, 0, 38), Date.UTC(2026, 9, 25, 1, 38)]
const utc = (time) => new Date(Number(time)).toISOString().slice(11, 16)

function show(what, startOf) {
  console.log(`  ${what}:`.padEnd(40), readings.map((time) => utc(startOf(time))).join(' '))
}

console.log(`the computer is in ${process.env.TZ}`)
console.log(' start of the hour of 00:38 and of 01:38 UTC')
show(version('luxon'), (time) => DateTime.fromMillis(time, { zone }).startOf('hour'))
show(version('moment-timezone'), (time) => moment.tz(time, zone).startOf('hour'))
show(version('dayjs'), (time) => dayjs(time).tz(zone).startOf('hour'))
const name = `${version('date-fns')}, ${version('@date-fns/tz')}`
show(name, (time) => dates.startOfHour(new TZDate(time, zone)))
show(version('date-fns-tz'), (time) => fromZonedTime(dates.startOfHour(toZonedTime(time, zone)), zone))
console.log(` ${name}`)
show('start of the minute', (time) => dates.startOfMinute(new TZDate(time, zone)))
show('nearest quarter', (time) => dates.roundToNearestMinutes(new TZDate(time, zone), { nearestTo: 15 }))
const night = { start: new TZDate(2026, 9, 25, 0, 0, zone), end: new TZDate(2026, 9, 25, 4, 0, zone) }
console.log('  each hour from 00:00 to 04:00:'.padEnd(40), dates.eachHourOfInterval(night).map(utc).join(' '))
const midnight = dayjs.tz('2026-10-25 00:00', zone)
const names = [2, 3, 4, 5].map((hours) => midnight.add(hours, 'hour').format('HH:mmZ'))
console.log(` ${version('dayjs')}\n${'  names of 2 to 5 hours after midnight:'.padEnd(40)} ${names.join(' ')}`)
JS
cat > expected.txt <<'END'
the computer is in UTC
 start of the hour of 00:38 and of 01:38 UTC
  luxon 3.7.2:                           00:00 01:00
  moment-timezone 0.6.6:                 00:00 01:00
  dayjs 1.11.23:                         01:00 01:00
  date-fns 4.4.0, @date-fns/tz 1.5.0:    01:00 01:00
  date-fns-tz 3.2.0:                     01:00 01:00
 date-fns 4.4.0, @date-fns/tz 1.5.0
  start of the minute:                   01:38 01:38
  nearest quarter:                       01:45 01:45
  each hour from 00:00 to 04:00:         22:00 23:00 01:00 02:00 03:00
 dayjs 1.11.23
  names of 2 to 5 hours after midnight:  02:00+02:00 03:00+02:00 04:00+02:00 05:00+02:00
the computer is in Europe/Berlin
 start of the hour of 00:38 and of 01:38 UTC
  luxon 3.7.2:                           00:00 01:00
  moment-timezone 0.6.6:                 00:00 01:00
  dayjs 1.11.23:                         00:00 00:00
  date-fns 4.4.0, @date-fns/tz 1.5.0:    00:00 00:00
  date-fns-tz 3.2.0:                     01:00 01:00
 date-fns 4.4.0, @date-fns/tz 1.5.0
  start of the minute:                   00:38 00:38
  nearest quarter:                       00:45 00:45
  each hour from 00:00 to 04:00:         22:00 23:00 00:00 02:00 03:00
 dayjs 1.11.23
  names of 2 to 5 hours after midnight:  02:00+02:00 02:00+02:00 03:00+02:00 04:00+02:00
the computer is in Asia/Tokyo
 start of the hour of 00:38 and of 01:38 UTC
  luxon 3.7.2:                           00:00 01:00
  moment-timezone 0.6.6:                 00:00 01:00
  dayjs 1.11.23:                         00:00 00:00
  date-fns 4.4.0, @date-fns/tz 1.5.0:    00:00 00:00
  date-fns-tz 3.2.0:                     01:00 01:00
 date-fns 4.4.0, @date-fns/tz 1.5.0
  start of the minute:                   00:38 00:38
  nearest quarter:                       00:45 00:45
  each hour from 00:00 to 04:00:         22:00 23:00 00:00 02:00 03:00
 dayjs 1.11.23
  names of 2 to 5 hours after midnight:  02:00+02:00 03:00+02:00 04:00+02:00 05:00+02:00
END

echo 'Guess: 00:00 01:00; 00:38 01:38; 00:45 01:45; 22:00 23:00 00:00 01:00 02:00 03:00; 02:00+02:00 02:00+01:00 03:00+01:00 04:00+01:00'
for where in UTC Europe/Berlin Asia/Tokyo; do TZ=$where node seen.js; done | tee seen.txt
diff expected.txt seen.txt
