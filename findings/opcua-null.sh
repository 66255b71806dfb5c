#!/usr/bin/env bash
# A value that is null, and values that do not fit, in the binary encoding of OPC UA as node-opcua writes it: null of a Double
# is 0 on the wire, and an array wraps what a single value refuses.
# Exits 1 if the output differs. Needs Node.js 20 or newer and npm; takes a few seconds after the installation.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error node-opcua-variant@2.159.0 node-opcua-binary-stream@2.157.0

cat > seen.js <<'JS'
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const { Variant, VariantArrayType, encodeVariant, decodeVariant } = require('node-opcua-variant')
const { BinaryStream } = require('node-opcua-binary-stream')

function roundTrip(dataType, value) {
  const arrayType = Array.isArray(value) ? VariantArrayType.Array : VariantArrayType.Scalar
  const stream = new BinaryStream(Buffer.alloc(200))
  try {
    encodeVariant(new Variant({ dataType, arrayType, value }), stream)
  } catch (error) {
    return 'refused'
  }
  const { value: decoded } = decodeVariant(new BinaryStream(stream.buffer))
  return String(Array.isArray(value) ? `[${[...decoded]}]` : decoded)
}

console.log(version('node-opcua-variant'))
const cases = [
  ['Double', null], ['Double', [-18.4, null]], ['Double', '21,5'], ['Int16', null], ['Int16', 21.7],
  ['Int16', 40000], ['Int16', [40000]], ['UInt16', 70000], ['UInt16', [70000]],
]
for (const [type, value] of cases) console.log(`${type} ${JSON.stringify(value)}:`.padEnd(22), roundTrip(type, value))
JS

cat > expected.txt <<'END'
node-opcua-variant 2.159.0
Double null:           0
Double [-18.4,null]:   [-18.4,0]
Double "21,5":         NaN
Int16 null:            refused
Int16 21.7:            21
Int16 40000:           refused
Int16 [40000]:         [-25536]
UInt16 70000:          refused
UInt16 [70000]:        [4464]
END

echo 'Guess: null or an error; an array is refused as a single value is'
node seen.js | tee seen.txt
diff expected.txt seen.txt
