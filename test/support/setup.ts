/**
 * Setup of every test process (`.mocharc.json`): the seed, and a folder that all processes of the run share.
 */
import * as fc from 'fast-check'
import { isLong, isOwnSeed, seed } from './chance'
import { beginRun } from './run'

// With the error's text: of its cause, mocha's parallel mode prints nothing.
fc.configureGlobal({ seed, includeErrorInReport: true })

export const mochaGlobalSetup = beginRun

export const mochaHooks: Mocha.RootHookObject = {
  afterEach(this: Mocha.Context) {
    const { currentTest } = this
    if (isOwnSeed && currentTest?.state === 'failed')
      console.error(
        `To repeat it: SEED=${seed} npx mocha ${isLong ? '--config .mocharc.long.json ' : ''}'${currentTest.file}' -g '${currentTest.fullTitle()}'`,
      )
  },
}
