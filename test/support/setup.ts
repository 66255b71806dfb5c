/**
 * Setup of every test process (`.mocharc.json`): a random seed, and a folder that all processes of the run share. Each
 * run of `npm test` has the same fixed seed; `npm run test:long` has a new one. A failure prints how to repeat it.
 */
import * as fc from 'fast-check'
import { isLong, seed } from './chance'
import { beginRun } from './run'

// undici has one timer for all its timeouts: created under fake timers, it would never fire again in this process.
require('undici/lib/util/timers').setFastTimeout(() => {}, 1001)

// With the error's text: of its cause, mocha's parallel mode prints nothing.
fc.configureGlobal({ seed, includeErrorInReport: true })

export const mochaGlobalSetup = beginRun

export const mochaHooks: Mocha.RootHookObject = {
  afterEach(this: Mocha.Context) {
    const { currentTest } = this
    if (isLong && currentTest?.state === 'failed')
      console.error(
        `To repeat it: SEED=${seed} npx mocha --config .mocharc.long.json '${currentTest.file}' -g '${currentTest.fullTitle()}'`,
      )
  },
}
