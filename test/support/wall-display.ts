/** The wall display in a browser, as users see it. */
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

  /** The sentences of alarms, the worst first, those that are over last. */
  get alarms(): Locator {
    return this.page.locator('.envlog-alarms li:not(.is-more)')
  }

  /** Texts of the entries. */
  alerts(): Promise<string[]> {
    return this.page.locator('.envlog-alerts li').allInnerTexts()
  }

  /** Elements that do not fit and would need a horizontal scroll bar: the page, or a part of it. */
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

  /**
   * What is only partly visible: texts at the edge of a part that hides what does not fit, and the chart's labels, which
   * touch the edge of its canvas. Rows in which the cards leave room beside them, or end at different heights.
   */
  async cut(): Promise<string[]> {
    await this.page.evaluate('globalThis.__name = (named) => named')
    return [
      ...(await this.page.evaluate(cutTexts)),
      ...(await this.page.evaluate(cutCharts)),
      ...(await this.page.evaluate(unevenRows)),
    ]
  }

  /** Values that take more than one line. */
  wrapped(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.envlog-value:not(.is-text)')]
        .filter((value) => value.clientHeight > 1.5 * Number.parseFloat(getComputedStyle(value).fontSize))
        .map((value) => value.textContent),
    )
  }

  /** Tiles of devices that are not OK, alarms, and the newest alert, if they are visible only after scrolling. */
  hidden(): Promise<string[]> {
    return this.page.evaluate(() => {
      const parts = [
        ...document.querySelectorAll('.envlog-tile:not(.is-ok)'),
        ...document.querySelectorAll('.envlog-alarms li'),
        ...document.querySelectorAll('.envlog-alerts li:first-child'),
      ]
      const below = parts.filter((part) => part.getBoundingClientRect().bottom > innerHeight)
      return below.map((part) => part.textContent)
    })
  }

  /**
   * Texts with less contrast than WCAG 2 (AA) requires, and problems that axe-core finds. axe-core does not see the
   * background of a widget.
   */
  async unreadable(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(axe.source)
    const { violations } = await this.page.evaluate(async () => {
      const { axe: inPage } = window as unknown as { axe: typeof axe }
      return (await inPage.run({ include: ['[class^=envlog-]'] } as never)) as AxeResults
    })
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const faults = grave.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    // The compiler's helper for named functions, which the page does not have.
    await this.page.evaluate('globalThis.__name = (named) => named')
    return [...faults, ...(await this.page.evaluate(paleTexts))]
  }
}

/** Runs in the page. */
function cutTexts(): string[] {
  const found: string[] = []
  const range = document.createRange()
  const texts = document.evaluate(
    '//*[starts-with(@class, "envlog-")]//text()[normalize-space()]',
    document,
    null,
    6,
  )
  for (let i = 0; i < texts.snapshotLength; i++) {
    const text = texts.snapshotItem(i) as Text
    range.selectNodeContents(text)
    const box = range.getBoundingClientRect()
    if (box.width === 0) continue
    for (let part = text.parentElement; part; part = part.parentElement) {
      if (getComputedStyle(part).overflow === 'visible') continue
      const edge = part.getBoundingClientRect()
      const isApart = box.left >= edge.right || box.top >= edge.bottom
      // A line is lower than the box of its text.
      const isWithin = box.right <= edge.right + 1 && box.bottom <= edge.bottom + 4 && box.top >= edge.top - 4
      if (!isApart && !isWithin) found.push(`cut: ${text.data}`)
    }
  }
  return found
}

/** Runs in the page. */
function cutCharts(): string[] {
  const found: string[] = []
  for (const canvas of document.querySelectorAll<HTMLCanvasElement>('.nrdb-ui-chart canvas')) {
    const { width, height } = canvas
    const context = canvas.getContext('2d')
    const edges = [
      [0, 0, width, 1],
      [0, height - 1, width, 1],
      [0, 0, 1, height],
      [width - 1, 0, 1, height],
    ] as const
    for (const [x, y, w, h] of edges) {
      const hasInk = context?.getImageData(x, y, w, h).data.some((part, at) => at % 4 === 3 && part > 0)
      if (hasInk) found.push(`chart: at ${x}, ${y}`)
    }
  }
  return found
}

/** Runs in the page. */
function unevenRows(): string[] {
  const found: string[] = []
  const rows = new Map<number, DOMRect[]>()
  for (const card of document.querySelectorAll('.nrdb-ui-group > .v-card')) {
    const box = card.getBoundingClientRect()
    rows.set(box.top, [...(rows.get(box.top) ?? []), box])
  }
  for (const boxes of rows.values()) {
    const right = Math.max(...boxes.map((box) => box.right))
    if (right < document.documentElement.clientWidth - 13) found.push(`empty beside ${right}`)
    if (new Set(boxes.map((box) => Math.round(box.bottom))).size > 1)
      found.push(`heights of ${boxes.length} cards`)
  }
  return found
}

/** Runs in the page. */
function paleTexts(): string[] {
  const partsOf = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const linear = (part: number) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = partsOf(color).map(linear)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = (element: Element): string => {
    const { backgroundColor } = getComputedStyle(element)
    const [, , , alpha = 1] = partsOf(backgroundColor)
    return alpha === 1 || !element.parentElement ? backgroundColor : behind(element.parentElement)
  }
  const pale: string[] = []
  const texts = document.evaluate(
    '//*[starts-with(@class, "envlog-")]//text()[normalize-space()]',
    document,
    null,
    6,
  )
  for (let i = 0; i < texts.snapshotLength; i++) {
    const element = texts.snapshotItem(i)?.parentElement
    if (!element?.checkVisibility()) continue
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    const [one, other] = [luminance(color), luminance(behind(element))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    const size = Number.parseFloat(fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700)
    if (contrast < (isLarge ? 3 : 4.5))
      pale.push(`${contrast.toFixed(1)}: ${element.outerHTML.slice(0, 120)}`)
  }
  return pale
}
