/** A browser page with Node-RED's editor, and the problems that occurred in it. */
import type { Browser, Page } from 'playwright-core'

export type Language = 'en-US' | 'ja'

export interface WatchedPage {
  page: Page
  /** Console errors, exceptions, and requests to another host. */
  faults: string[]
  close(): Promise<void>
}

export interface PageOptions {
  language?: Language
  /** Only Node-RED 5 has a dark theme. */
  theme?: 'light' | 'dark'
  /** Of the browser; otherwise that of this machine. */
  timezoneId?: string
  width?: number
  height?: number
}

const ACTION_MS = 60_000

/** Shortens animations and tooltip delays. */
function shortenAnimations(): void {
  const { setTimeout: wait } = window
  window.setTimeout = ((work: () => void, ms = 0, ...rest: unknown[]) =>
    wait(work, ms <= 750 ? ms / 10 : ms, ...rest)) as typeof wait
  document.addEventListener('DOMContentLoaded', () => {
    // While a menu of Node-RED slides down, a click on one of its items goes to what is below. Dashboards have no jQuery.
    if ('jQuery' in window) jQuery.fx.off = true
    const style = document.createElement('style')
    style.textContent = '.red-ui-tray { transition: none !important }'
    document.head.append(style)
  })
}

export async function openPage(
  browser: Browser,
  url: string,
  { language = 'en-US', theme = 'light', timezoneId, width = 1400, height = 1000 }: PageOptions = {},
): Promise<WatchedPage> {
  // The dashboard's service worker would load everything for each page again.
  const serviceWorkers = 'block'
  const context = await browser.newContext({
    viewport: { width, height },
    locale: language,
    ...(timezoneId && { timezoneId }),
    serviceWorkers,
  })
  // The user's own setting, as the editor stores it.
  await context.addInitScript((value) => localStorage.setItem('view-dark-theme', value), theme)
  await context.addInitScript(shortenAnimations)
  context.setDefaultTimeout(ACTION_MS)
  const page = await context.newPage()
  const faults: string[] = []
  const { host } = new URL(url)
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`))
  page.on('console', (message) => {
    const { url: address } = message.location()
    const isRefusal = /the server responded with a status of (?:4\d\d|502)/.test(message.text())
    // The browser logs failed requests. Refusals by our routes are not faults, because the form shows them.
    if (message.type() === 'error' && !(isRefusal && address.includes('/envlog/')))
      faults.push(`console: ${message.text()} (${address})`)
  })
  page.on('request', (request) => {
    const to = new URL(request.url())
    if (!['data:', 'blob:'].includes(to.protocol) && to.host !== host)
      faults.push(`requested ${request.url()}`)
  })
  return { page, faults, close: () => context.close() }
}
