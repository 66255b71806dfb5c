/** The wall display in a browser, as somebody sees it. */
import axe, { type AxeResults } from 'axe-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { openPage, type PageOptions } from './editor/page'

const LOADED_MS = 60_000

export class WallDisplay {
  private constructor(
    readonly page: Page,
    readonly faults: string[],
    readonly close: () => Promise<void>,
  ) {}

  /** Resolves when the first tile is shown. */
  static async open(browser: Browser, nodeRed: string, options: PageOptions = {}): Promise<WallDisplay> {
    const { page, faults, close } = await openPage(browser, nodeRed, options)
    await page.goto(`${nodeRed}/dashboard/readings`)
    await page.locator('.envlog-tile').first().waitFor({ timeout: LOADED_MS })
    return new WallDisplay(page, faults, close)
  }

  tile(name: string): Locator {
    return this.page
      .locator('.envlog-tile')
      .filter({ has: this.page.getByRole('heading', { name, exact: true }) })
  }

  get banner(): Locator {
    return this.page.getByRole('alert').filter({ visible: true })
  }

  /** Texts of the entries. */
  alerts(): Promise<string[]> {
    return this.page.locator('.envlog-alerts li').allInnerTexts()
  }

  /** What does not fit, and would need a scroll bar sideways: the page, or a part of it. */
  tooWide(): Promise<string[]> {
    return this.page.evaluate(() => {
      const { documentElement: html } = document
      const parts = [...document.querySelectorAll('.nrdb-ui-widget, .nrdb-ui-widget [class^=envlog]')]
      const wide = parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      return [
        ...(html.scrollWidth > innerWidth ? [`page: ${html.scrollWidth}`] : []),
        ...wide.map((part) => `${part.className}: ${part.scrollWidth} of ${part.clientWidth}`),
      ]
    })
  }

  /** What axe-core finds wrong in our part of it: contrast, names. */
  async unreadable(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(axe.source)
    const { violations } = await this.page.evaluate(async () => {
      const { axe: inPage } = window as unknown as { axe: typeof axe }
      return (await inPage.run({ include: ['[class^=envlog-]'] } as never)) as AxeResults
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      )
  }
}
