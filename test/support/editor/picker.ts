/** The page for choosing devices. */
import type { Locator } from 'playwright-core'
import { Tray } from './tray'

const LISTED_MS = 20_000

export class Picker extends Tray {
  /** Resolves when the account's devices are listed. */
  async whenListed(): Promise<void> {
    await this.body.locator('.envlog-facts').first().waitFor({ timeout: LISTED_MS })
  }

  /** Resolves with the reason why there is nothing to choose. */
  async whenEmpty(): Promise<string> {
    const sentence = this.body.locator('.envlog-picker-empty')
    await sentence.waitFor({ timeout: LISTED_MS })
    return sentence.innerText()
  }

  /** Resolves with the reason why there are none. */
  async whenFailed(): Promise<string> {
    const sentence = this.body.locator('.envlog-picker-state.envlog-failed')
    await sentence.waitFor({ timeout: LISTED_MS })
    return sentence.innerText()
  }

  /** The checkbox of a device, or of a base unit, by name or serial. */
  box(named: string): Locator {
    return this.body.locator(`input[type=checkbox][aria-label*="${named}"]`)
  }

  /** Names of the visible devices, in order. */
  leaves(): Promise<string[]> {
    return this.body.locator('.envlog-leaf:visible .envlog-name').allInnerTexts()
  }

  branches(): Promise<string[]> {
    return this.body.locator('.envlog-branch-head:visible .envlog-name').allInnerTexts()
  }

  /** The row of a device. */
  row(named: string): Locator {
    return this.body.locator('.envlog-leaf', { hasText: named })
  }

  async search(text: string): Promise<void> {
    await this.body.locator('[data-envlog=search]').fill(text)
  }

  press(button: 'all' | 'none' | 'refresh' | 'add'): Promise<void> {
    return this.body.locator(`[data-envlog=${button}]`).click()
  }

  get typed(): Locator {
    return this.body.locator('[data-envlog=typed]')
  }

  wrong(): Promise<string> {
    return this.body.locator('.envlog-picker-wrong').innerText()
  }

  count(): Promise<string> {
    return this.body.locator('.envlog-picker-count').innerText()
  }
}
