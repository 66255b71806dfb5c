#!/usr/bin/env bash
# Readings of sensors for HomeKit, as the library under its bridges takes them: null leaves the value before, as if the sensor
# still measured it; a sensor that had no reading since the start shows 0 °C, "21,5" is 21, and a target of -18 °C for a freezer
# is 10 °C. null and what is out of range bring a warning in the log, nothing else; "21,5" not even that.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error hap-nodejs@1.2.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { Characteristic, Service } = require('hap-nodejs')

/** What a controller is told after each of these values was set, one after the other. */
async function show(service, Kind, values) {
  const characteristic = service.getCharacteristic(Kind)
  let warnings = 0
  characteristic.on('characteristic-warning', () => { warnings++ })
  const told = async () => Math.round((await characteristic.handleGetRequest()) * 100) / 100
  console.log(`${characteristic.displayName}: ${await told()} before any reading`)
  for (const value of values) {
    warnings = 0
    characteristic.updateValue(value)
    const warned = warnings > 0 ? ', with a warning' : ''
    console.log(`  ${JSON.stringify(value)}:`.padEnd(12), `${await told()}${warned}`)
  }
}

async function run() {
  console.log(version('hap-nodejs'))
  await show(new Service.TemperatureSensor('Freezer'), Characteristic.CurrentTemperature, [-18.4, null, '21,5', 21.55, 180])
  await show(new Service.HumiditySensor('Store'), Characteristic.CurrentRelativeHumidity, [55.4, null])
  await show(new Service.LightSensor('Hall'), Characteristic.CurrentAmbientLightLevel, [500, 120000])
  await show(new Service.Thermostat('Freezer'), Characteristic.TargetTemperature, [-18, 4, 21])
  process.exit()
}
run()
JS

cat > expected.txt <<'END'
hap-nodejs 1.2.0
Current Temperature: 0 before any reading
  -18.4:     -18.4
  null:      -18.4, with a warning
  "21,5":    21
  21.55:     21.6
  180:       100, with a warning
Current Relative Humidity: 0 before any reading
  55.4:      55
  null:      55, with a warning
Current Ambient Light Level: 0 before any reading
  500:       500
  120000:    100000, with a warning
Target Temperature: 10 before any reading
  -18:       10, with a warning
  4:         10, with a warning
  21:        21
END

echo 'Guess: no value before a reading and for null, an error for what is no number or out of range'
node seen.js | tee seen.txt
diff expected.txt seen.txt
