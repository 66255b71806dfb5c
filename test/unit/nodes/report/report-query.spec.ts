import assert from 'node:assert/strict'
import { languageOf, readReportSettings, toHead, toQuery } from '../../../../src/nodes/report/report-query'
import { withCatalogs } from '../../../support/catalog-red'

describe('a report without limits', () => {
  it('calls a device silent after an hour', async () => {
    const about = {
      account: { name: 'Plant A' },
      language: 'en-US',
      period: { kind: 'now' },
      evaluate: () => assert.fail('nothing to evaluate'),
      readLimits: () => assert.fail('no limits to read'),
    }
    const settings = readReportSettings({ account: 'account', select: 'all' })
    assert.equal((await toQuery(settings, about as never)).silentAfterMs, 3_600_000)
  })
})

describe('a report with limits', () => {
  it('judges by their rows, and by their minutes until a device is silent', async () => {
    const rows = [{ name: 'Freezers' }]
    const about = {
      account: { name: 'Plant A' },
      language: 'en-US',
      period: { kind: 'now' },
      evaluate: () => assert.fail('nothing to evaluate'),
      readLimits: async (id: string) => ({ limits: id === 'limits' ? rows : [], silentAfter: 90 }),
    }
    const settings = readReportSettings({ account: 'account', select: 'all', limits: 'limits' })
    const { limits, silentAfterMs } = await toQuery(settings, about as never)
    assert.deepEqual([limits, silentAfterMs], [rows, 5_400_000])
  })
})

describe('the settings of a report', () => {
  const isValid = (settings: object) => {
    try {
      readReportSettings({ account: 'account', select: 'all', ...settings })
      return true
    } catch {
      return false
    }
  }

  it('are a share from 0 to 100 percent, and a gap from 1 to 100,000 minutes', () => {
    assert.deepEqual(
      [-1, 0, 100, 101].map((coverage) => isValid({ coverage })),
      [false, true, true, false],
    )
    assert.deepEqual(
      [0, 1, 100_000, 100_001].map((gap) => isValid({ gap })),
      [false, true, true, false],
    )
  })

  it('have a title without blanks around it, and the language of Node-RED unless they name one', () => {
    const settings = readReportSettings({ account: 'account', select: 'all', title: ' Daily ' })
    assert.equal(toHead(settings, 'en-US').title, 'Daily')
    const languages = [null, 'en-US', 'ja'] as const
    for (const own of ['en-US', 'ja'] as const)
      assert.deepEqual(
        languages.map((language) => languageOf(withCatalogs(own), { language })),
        [own, 'en-US', 'ja'],
      )
  })
})
