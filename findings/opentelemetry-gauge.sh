#!/usr/bin/env bash
# Readings as metrics of OpenTelemetry: after null or 21,5 the value before is exported again and again, each time with the
# current time; a gauge of whole numbers makes -18 of -18.5; a histogram leaves out all below zero. The warnings about this go
# to a logger that is off unless it is set.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.1

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { setTimeout: wait } = require('node:timers/promises')
const { ValueType } = require('@opentelemetry/api')
const { MeterProvider, MetricReader } = require('@opentelemetry/sdk-metrics')

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
const reader = new Reader()
const meter = new MeterProvider({ readers: [reader] }).getMeter('readings')

/** What an exporter gets: the value of a metric, and the time it is of. */
async function exported(name) {
  await wait(20)
  const { resourceMetrics } = await reader.collect()
  const metrics = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
  const [point] = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
  return point && { value: point.value, time: point.endTime[0] + point.endTime[1] / 1e9 }
}

async function run() {
  console.log(version('@opentelemetry/sdk-metrics'))
  const gauge = meter.createGauge('gauge')
  let before = 0
  for (const value of [-18.4, null, '21,5', undefined]) {
    gauge.record(value)
    const { value: seen, time } = await exported('gauge')
    console.log(`gauge, ${value}:`.padEnd(24), seen, time > before ? 'with a later time' : 'with the same time')
    before = time
  }
  const whole = meter.createGauge('whole', { valueType: ValueType.INT })
  for (const value of [-18.5, 21.7]) {
    whole.record(value)
    console.log(`whole numbers, ${value}:`.padEnd(24), (await exported('whole')).value)
  }
  const histogram = meter.createHistogram('histogram', { advice: { explicitBucketBoundaries: [-20, -15, 0, 8] } })
  for (const value of [-18.4, -18.4, 4]) {
    histogram.record(value)
    const { count, sum } = (await exported('histogram'))?.value ?? { count: 0, sum: 0 }
    console.log(`histogram, ${value}:`.padEnd(24), `count ${count}, sum ${sum}`)
  }
}
run()
JS

cat > expected.txt <<'END'
@opentelemetry/sdk-metrics 2.12.1
gauge, -18.4:            -18.4 with a later time
gauge, null:             -18.4 with a later time
gauge, 21,5:             -18.4 with a later time
gauge, undefined:        -18.4 with a later time
whole numbers, -18.5:    -18
whole numbers, 21.7:     21
histogram, -18.4:        count 0, sum 0
histogram, -18.4:        count 0, sum 0
histogram, 4:            count 1, sum 4
END

echo 'Guess: nothing is exported for what is no number, -19 or -18.5, and the histogram counts each value'
node seen.js | tee seen.txt
diff expected.txt seen.txt
