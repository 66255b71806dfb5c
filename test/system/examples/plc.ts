/** A simulated PLC with one data block, DB100: on loopback, on a free port. After a stop, the data block is empty. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { paletteFolder } from '../../support/palette'
import { HOST, quiet, type ServerProcess, startServer } from '../../support/server-process'

export interface Plc extends ServerProcess {
  /** The bytes of the data block. */
  data(): Promise<Buffer>
}

export async function startPlc(bytes: number): Promise<Plc> {
  const driver = join(await paletteFolder('s7'), 'node_modules', 'node-snap7')
  let child: ChildProcess
  const server = await startServer(
    (port) => {
      const script = [join(__dirname, 'plc-process.cjs'), driver, HOST, String(port), String(bytes)]
      child = spawn(process.execPath, script, { stdio: [...quiet.stdio, 'ipc'] })
      return child
    },
    (log) => log.includes('ready'),
    'SIGKILL',
  )
  return Object.assign(server, {
    async data() {
      child.send('data')
      const [digits] = await once(child, 'message')
      return Buffer.from(digits, 'hex')
    },
  })
}
