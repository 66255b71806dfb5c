#!/usr/bin/env bash
# Texts of alarms from readings: the language of the template node takes a value that is missing from around the list, leaves
# out 0 °C as if there were no value, and writes a date with &#x2F;; Handlebars leaves out 0 too; a formatter of numbers writes
# null, NaN and n/a as 0.0, and -18,4 as -184.0.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error mustache@4.2.0 handlebars@4.7.10 numeral@2.0.6

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const Mustache = require('mustache')
const Handlebars = require('handlebars')
const numeral = require('numeral')

const message = {
  humidity: 40,
  time: '2026/11/29',
  readings: [
    { name: 'A', value: -18.4, humidity: 50 },
    { name: 'B', value: 0 },
    { name: 'C', value: null, humidity: null },
  ],
}
const show = (template, text) => console.log(template.padEnd(77), text.trim())
const mustache = (template) => show(template, Mustache.render(template, message))
const handlebars = (template) => show(template, Handlebars.compile(template)(message))

console.log(version('mustache'))
mustache('{{#readings}}{{name}} {{humidity}}; {{/readings}}')
mustache('{{#readings}}{{name}} {{#value}}{{value}}{{/value}}; {{/readings}}')
mustache('{{#readings}}{{name}} {{value}}{{^value}} no value{{/value}}; {{/readings}}')
mustache('{{time}}')
console.log(version('handlebars'))
handlebars('{{#each readings}}{{name}} {{humidity}}; {{/each}}')
handlebars('{{#each readings}}{{name}} {{#if value}}{{value}}{{/if}}; {{/each}}')
handlebars('{{time}}')
console.log(version('numeral'))
for (const value of [-18.4, null, NaN, 'n/a', '-18,4', '21,5', 0.0000001])
  console.log(String(value).padEnd(6), numeral(value).format('0.0'))
JS

cat > expected.txt <<'END'
mustache 4.2.0
{{#readings}}{{name}} {{humidity}}; {{/readings}}                             A 50; B 40; C ;
{{#readings}}{{name}} {{#value}}{{value}}{{/value}}; {{/readings}}            A -18.4; B ; C ;
{{#readings}}{{name}} {{value}}{{^value}} no value{{/value}}; {{/readings}}   A -18.4; B 0 no value; C  no value;
{{time}}                                                                      2026&#x2F;11&#x2F;29
handlebars 4.7.10
{{#each readings}}{{name}} {{humidity}}; {{/each}}                            A 50; B ; C ;
{{#each readings}}{{name}} {{#if value}}{{value}}{{/if}}; {{/each}}           A -18.4; B ; C ;
{{time}}                                                                      2026/11/29
numeral 2.0.6
-18.4  -18.4
null   0.0
NaN    0.0
n/a    0.0
-18,4  -184.0
21,5   215.0
1e-7   NaN
END

echo 'Guess: B has 0 and no humidity, the date is as it was; no number for null, NaN, n/a and decimal commas, or -18.4 and 21.5'
node seen.js | tee seen.txt
diff expected.txt seen.txt
