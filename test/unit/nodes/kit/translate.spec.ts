import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { translate } from '../../../../src/nodes/kit/report/translate'
import { temporaryFolder } from '../../../support/run'

const { i18n } = createRequire(require.resolve('node-red'))('@node-red/util')

describe('a sentence', () => {
  it('has each name as it is, also if it looks like the place of another text', async () => {
    const folder = temporaryFolder('catalogs')
    mkdirSync(join(folder, 'en-US'))
    const catalog = { alarm: '__place__: __value__ (__count__ more)' }
    writeFileSync(join(folder, 'en-US', 'catalog.json'), JSON.stringify(catalog))
    i18n.init({ lang: 'en-US' })
    await i18n.registerMessageCatalog('translate-test', folder, 'catalog.json')
    for (const place of ['Freezer 3', '__value__', '$t(translate-test:alarm)', "$& $' __count__"])
      assert.equal(
        translate(i18n, 'translate-test:alarm', { place, value: '-9 °C', count: 2 }),
        `${place}: -9 °C (2 more)`,
      )
  })
})
