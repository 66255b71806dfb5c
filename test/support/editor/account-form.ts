/** The account's form. */
import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import type { Account } from '../../../simulator'
import { Tray } from './tray'

const TEST_MS = 20_000

export class AccountForm extends Tray {
  field(name: string): Locator {
    return this.body.locator(`#node-config-input-${name}`)
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await this.field(name).fill(value)
  }

  fillLogin({ apiKey, loginId, loginPass }: Account): Promise<void> {
    return this.fill({ apiKey, loginId, loginPass })
  }

  /** Expands the rarely used settings. */
  async unfold(): Promise<void> {
    await this.body.locator('summary').click()
  }

  /** Presses *Test*; returns the lines of the result. */
  async test(): Promise<string[]> {
    const button = this.body.locator('#envlog-test')
    await button.click()
    await this.body.locator('#envlog-test:enabled').waitFor({ timeout: TEST_MS })
    return (await this.body.locator('.envlog-test-line').allInnerTexts()).map((line) => line.trim())
  }

  /** Presses *Report…*; returns the preview. */
  async report(): Promise<string> {
    await this.body.locator('#envlog-report').click()
    const preview = this.body.locator('#envlog-report-text')
    await preview.waitFor({ timeout: TEST_MS })
    return preview.inputValue()
  }

  /** Presses *Save* for the report; returns the saved text. */
  async saveReport(): Promise<string> {
    const download = this.page.waitForEvent('download')
    await this.body.locator('#envlog-report-save').click()
    return readFileSync(await (await download).path(), 'utf8')
  }

  /** Why a field has a red frame; `undefined` if it has none. */
  async reason(name: string): Promise<string | undefined> {
    return reasonOf(this.field(name))
  }

  bars(): Locator {
    return this.body.getByRole('meter')
  }
}

/** Node-RED marks an invalid field with a red frame, and shows the reason when the pointer is on it. */
export async function reasonOf(field: Locator): Promise<string | undefined> {
  // A typed input or a duration is next to the field, which it hides.
  const shown = (await field.isVisible())
    ? field
    : field.locator('+ :is(.red-ui-typedInput-container, .envlog-duration)')
  await field.page().keyboard.press('Tab')
  const isWrong = await field.evaluate((element) =>
    [element, element.nextElementSibling].some((one) => one?.classList.contains('input-error')),
  )
  if (!isWrong) return undefined
  const page = field.page()
  await page.mouse.move(0, 0)
  await page.locator('.red-ui-popover').waitFor({ state: 'detached' })
  await shown.hover()
  return (await page.locator('.red-ui-popover').innerText()).trim()
}
