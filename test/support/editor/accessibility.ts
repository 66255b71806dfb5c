/** Problems that axe-core finds in our part of a page over the workspace. */
import axe, { type AxeResults } from 'axe-core'
import type { Tray } from './tray'

/** Node-RED's own widgets, which core nodes have too: their problems are not ours. */
const NODE_RED = [
  // Node-RED's fields that prevent browsers from filling in passwords.
  '[id^=red-ui-trap-]',
  // Node-RED's buttons next to a config node are links without an address or a name.
  '#node-input-btn-account-add',
  '#node-input-btn-account-edit',
  '[id^=node-config-input-btn-]',
]

/** The colours of its buttons are not ours either. */
const IS_BUTTON = 'contains(@class, "red-ui-button")'

const REPORTED_IMPACTS = ['serious', 'critical']

/** One line per serious or critical problem: rule, element, and description. */
export async function accessibilityProblems(tray: Tray): Promise<string[]> {
  const { page } = tray
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(axe.source)
    // Node-RED's page has no height and hides overflow: axe-core would treat everything as hidden.
    await page.addStyleTag({ content: 'body { min-height: 100vh }' })
  }
  const { violations } = await page.evaluate(async (exclude) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe }
    const include = ['.red-ui-tray-body :is(form, .envlog-picker)']
    return (await inPage.run({ include, exclude: exclude.map((one) => [one]) } as never)) as AxeResults
  }, NODE_RED)
  const faults: string[] = []
  for (const { id, nodes } of violations.filter(({ impact }) => REPORTED_IMPACTS.includes(impact ?? ''))) {
    for (const { html, target, failureSummary } of nodes) {
      const button = page.locator(String(target[0])).locator(`xpath=ancestor-or-self::*[${IS_BUTTON}]`)
      if (id === 'color-contrast' && (await button.count()) > 0) continue
      faults.push(`${id}: ${html}\n${failureSummary}`)
    }
  }
  return faults
}

/** Our texts on a page: text nodes, titles, labels and placeholders. */
export function textsIn(tray: Tray): Promise<string[]> {
  return tray.body.evaluate((body) => {
    const found: string[] = []
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        for (const name of ['title', 'placeholder', 'aria-label']) found.push(node.getAttribute(name) ?? '')
      } else if (!node.parentElement?.closest('#envlog-sample')) found.push(node.textContent ?? '')
    }
    return found.map((text) => text.trim()).filter((text) => text !== '')
  })
}

/** The fields and buttons that are beyond the right edge of the tray, by their id or text. */
export function cutIn(tray: Tray): Promise<string[]> {
  return tray.body.evaluate((body) => {
    const edge = body.closest('.red-ui-tray')?.getBoundingClientRect().right ?? 0
    const shown = [...body.querySelectorAll('form :is(input, select, button, a, .form-tips)')]
    const cut = shown.filter((element) => element.getBoundingClientRect().right > edge)
    return cut.map((element) => element.id || element.textContent?.trim() || element.className)
  })
}
