/**
 * Setup of every test process (`.mocharc.json`): the seed, and a folder that all processes of the run share.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { Agent } from 'undici'
import { isLong, isOwnSeed, seed } from './chance'
import { beginRun } from './run'

// Includes the error's text, because mocha's parallel mode does not print its cause.
fc.configureGlobal({ seed, includeErrorInReport: true })

export const mochaGlobalSetup = beginRun

let timers: Promise<void> | undefined

/**
 * undici starts one timer for all its timeouts with its first connection. If that happens under fake timers, the timer
 * never fires in this process again, so it is started here.
 */
async function startTimersOfUndici(): Promise<void> {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent()
  const { port } = server.address() as AddressInfo
  const { body } = await agent.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' })
  await body.dump()
  await agent.close()
  server.close()
}

export const mochaHooks: Mocha.RootHookObject = {
  async beforeAll() {
    timers ??= startTimersOfUndici()
    await timers
  },
  afterEach(this: Mocha.Context) {
    const { currentTest } = this
    if (isOwnSeed && currentTest?.state === 'failed')
      console.error(
        `To repeat it: SEED=${seed} npx mocha ${isLong ? '-r test/support/long.ts -t 300000 ' : ''}'${currentTest.file}' -g '${currentTest.fullTitle()}'`,
      )
  },
}
