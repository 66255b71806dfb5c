#!/usr/bin/env bash
# Temperatures with units and percentages in mathjs, as a formula of a user has them: a mean or a difference of °C and °F is far
# off, 0 °C is not 32 °F, -18.4 °C stays -18.4 as an absolute value, 100% - 55% is -0.1 and 55% + 5% is 0. Only °C among
# themselves are right. A smaller library for units makes -271.65 °C of 21.5 °C less 20 °C.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error mathjs@15.2.0 unitmath@0.8.8

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { evaluate, format } = require('mathjs')
const unit = require('unitmath')

const show = (formula, guess, seen) => console.log(`  ${formula}:`.padEnd(35), `guess ${guess}`.padEnd(24), seen)

console.log(version('mathjs'))
const formulas = {
  '21.5 degC - 20 degC': '1.5 degC',
  '21.5 degC - 71 degF': '-0.17 degC',
  'mean(21.5 degC, 20.5 degC)': '21 degC',
  'mean(21.5 degC, 70 degF)': '21.31 degC',
  '10 degC - 283.15 K': '0 degC',
  '0 degC == 32 degF': 'true',
  '-18 degC < 0 degF': 'true',
  'abs(-18.4 degC)': '18.4 degC',
  '100 + 5%': '105',
  '100% - 55%': '45% or 0.45',
  '55% + 5%': '60% or 0.6',
  'mean(50%, 60%)': '0.55',
}
for (const [formula, guess] of Object.entries(formulas)) show(formula, guess, format(evaluate(formula), { precision: 4 }))
console.log(version('unitmath'))
const rounded = (value) => `${value.getValue().toFixed(2)} degC`
show('21.5 degC to degF, and back', '21.50 degC', rounded(unit('21.5 degC').to('degF').to('degC')))
show('21.5 degC less 20 degC', '1.50 degC', rounded(unit('21.5 degC').sub('20 degC')))
show('21.5 degC and 20 degC added', 'refused, or 41.50', rounded(unit('21.5 degC').add('20 degC')))
JS

cat > expected.txt <<'END'
mathjs 15.2.0
  21.5 degC - 20 degC:              guess 1.5 degC           1.5 degC
  21.5 degC - 71 degF:              guess -0.17 degC         -17.94 degC
  mean(21.5 degC, 20.5 degC):       guess 21 degC            21 degC
  mean(21.5 degC, 70 degF):         guess 21.31 degC         30.19 degC
  10 degC - 283.15 K:               guess 0 degC             -273.2 degC
  0 degC == 32 degF:                guess true               false
  -18 degC < 0 degF:                guess true               true
  abs(-18.4 degC):                  guess 18.4 degC          -18.4 degC
  100 + 5%:                         guess 105                105
  100% - 55%:                       guess 45% or 0.45        -0.1
  55% + 5%:                         guess 60% or 0.6         0
  mean(50%, 60%):                   guess 0.55               0.55
unitmath 0.8.8
  21.5 degC to degF, and back:      guess 21.50 degC         21.50 degC
  21.5 degC less 20 degC:           guess 1.50 degC          -271.65 degC
  21.5 degC and 20 degC added:      guess refused, or 41.50  314.65 degC
END

echo 'Guess: as below in each line'
node seen.js | tee seen.txt
diff expected.txt seen.txt
