/** A simulated PLC with one data block, DB100: on loopback, on a free port. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { paletteFolder } from '../../support/palette'
import { freePort, HOST } from '../../support/server-process'

interface Snap7Server {
  LocalPort: number
  PDURequest: number
  srvAreaDB: number
  SetParam(param: number, value: number): boolean
  RegisterArea(area: number, index: number, data: Buffer): boolean
  GetArea(area: number, index: number): Buffer
  StartTo(host: string): boolean
  Stop(): boolean
}

export interface Plc {
  port: number
  /** The bytes of the data block. */
  data(): Buffer
  stop(): void
  /** Without what was written before, like a PLC after a memory reset. */
  startAgain(): void
}

const DATA_BLOCK = 100
/** Of an S7-300 and an S7-1200, the smallest. */
const PDU_BYTES = 240

export async function startPlc(bytes: number): Promise<Plc> {
  const { S7Server } = createRequire(join(await paletteFolder('s7'), 'package.json'))('node-snap7')
  const port = await freePort()
  let server: Snap7Server | undefined
  const plc = {
    port,
    data: () => server?.GetArea(server.srvAreaDB, DATA_BLOCK) ?? Buffer.alloc(0),
    stop() {
      server?.Stop()
      server = undefined
    },
    startAgain() {
      const started: Snap7Server = new S7Server()
      started.SetParam(started.LocalPort, port)
      started.SetParam(started.PDURequest, PDU_BYTES)
      started.RegisterArea(started.srvAreaDB, DATA_BLOCK, Buffer.alloc(bytes))
      if (!started.StartTo(HOST)) throw new Error(`The PLC cannot listen to port ${port}`)
      server = started
    },
  }
  plc.startAgain()
  return plc
}
