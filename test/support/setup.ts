/**
 * What every test process begins with (`.mocharc.json`): a seed for all chance, and a folder that all processes of the
 * run share. `npm test` has one fixed seed, so that it is the same run each time; `npm run test:long` draws one. A
 * failure says how to repeat it.
 */
import * as fc from 'fast-check'
import { isLong, seed } from './chance'
import { beginRun } from './run'

// undici has one timer for all its timeouts: begun under fake timers it would never fire again in this process.
require('undici/lib/util/timers').setFastTimeout(() => {}, 1001)

fc.configureGlobal({ seed })

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
