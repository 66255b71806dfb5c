/** The panel over the workspace. Node-RED shows only the topmost one. */
import type { Locator, Page } from 'playwright-core'

const SHOWN_MS = 20_000

export class Tray {
  constructor(readonly page: Page) {}

  get element(): Locator {
    return this.page.locator('.red-ui-tray').last()
  }

  get body(): Locator {
    return this.element.locator('.red-ui-tray-body')
  }

  /** Presses *Done*; resolves when the tray is closed. */
  async done(): Promise<void> {
    await this.leave('#node-dialog-ok, #node-config-dialog-ok')
  }

  async cancel(): Promise<void> {
    await this.leave('#node-dialog-cancel, #node-config-dialog-cancel')
  }

  /** Trays are animated: a field can be used when its tray has stopped. */
  async whenShown(selector: string): Promise<void> {
    await this.body.locator(selector).first().waitFor({ timeout: SHOWN_MS })
    await this.page.waitForFunction(() => {
      const trays = [...document.querySelectorAll('.red-ui-tray')]
      return trays.length === 1 && getComputedStyle(trays[0] as Element).right === '0px'
    })
  }

  private async leave(button: string): Promise<void> {
    const element = await this.element.elementHandle()
    await this.element.locator(button).click()
    await this.page.waitForFunction((gone) => !gone?.isConnected, element)
  }
}
