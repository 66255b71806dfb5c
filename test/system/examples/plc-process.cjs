/**
 * A PLC with one data block, DB100, in a process of its own, because its driver is native. It answers each message with
 * the bytes of the data block, in hexadecimal digits.
 *
 *     node plc-process.cjs <node-snap7> <host> <port> <bytes>
 */
const [driver, host, port, bytes] = process.argv.slice(2)
const { S7Server } = require(driver)

const DATA_BLOCK = 100
/** Of an S7-300 and an S7-1200, the smallest. */
const PDU_BYTES = 240

const server = new S7Server()
server.SetParam(server.LocalPort, Number(port))
server.SetParam(server.PDURequest, PDU_BYTES)
server.RegisterArea(server.srvAreaDB, DATA_BLOCK, Buffer.alloc(Number(bytes)))
process.on('message', () => process.send(server.GetArea(server.srvAreaDB, DATA_BLOCK).toString('hex')))
if (!server.StartTo(host)) process.exit(1)
console.log('ready')
