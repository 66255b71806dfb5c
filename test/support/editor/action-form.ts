/** The form of a node of the palette, or of limits. */
import type { Locator } from 'playwright-core'
import { AccountForm, reasonOf } from './account-form'
import { Picker } from './picker'
import { Tray } from './tray'

const SHOWN_MS = 30_000

type Chosen = 'devices' | 'bases' | 'groups' | 'exclude'

export class ActionForm extends Tray {
  readonly picker = new Picker(this.page)

  field(name: string): Locator {
    return this.body.locator(`#node-input-${name}, #node-config-input-${name}`)
  }

  /** The number of a duration. */
  duration(name: string): Locator {
    return this.field(name).locator('+ .envlog-duration input')
  }

  select(which: 'all' | 'list' | 'base' | 'group' | 'msg'): Promise<unknown> {
    return this.field('select').selectOption(which)
  }

  /** Opens the form of a new account. */
  async addAccount(): Promise<AccountForm> {
    await this.body.locator('#node-input-btn-account-add').click()
    return this.shownAccount()
  }

  /** Opens the chosen account. */
  async editAccount(): Promise<AccountForm> {
    await this.body.locator('#node-input-btn-account-edit').click()
    return this.shownAccount()
  }

  async pick(which: Chosen): Promise<Picker> {
    await this.body.locator(`#envlog-${which} > button`).click()
    await this.picker.whenShown('.envlog-picker')
    // Node-RED moves the focus shortly after the tray has opened: earlier input would go to another field.
    await this.page.waitForFunction(() => document.activeElement?.getAttribute('data-envlog') === 'search')
    return this.picker
  }

  /** Waits until the form shows exactly this choice: names appear when the device list has arrived. */
  async whenChosen(which: Chosen, expected: string | RegExp): Promise<void> {
    const names = this.body.locator(`#envlog-${which} .envlog-chosen-names`)
    await names.and(this.body.getByText(expected, { exact: true })).waitFor({ timeout: SHOWN_MS })
  }

  /** The chosen items that the account no longer has. */
  missing(which: Chosen): Locator {
    return this.body.locator(`#envlog-${which} .envlog-chosen-unlisted`)
  }

  /** What will be sent, and its cost. */
  async preview(): Promise<{ sends: string; budget: string }> {
    return {
      sends: await this.body.locator('#envlog-sends').innerText(),
      budget: await this.body.locator('#envlog-budget').innerText(),
    }
  }

  /** Expands the rarely used settings. */
  unfold(): Promise<void> {
    return this.body.locator('details > summary').last().click()
  }

  /** Expands the example message. */
  async example(): Promise<string> {
    await this.body.locator('details > summary').first().click()
    return this.body.locator('#envlog-sample').innerText()
  }

  reason(name: string): Promise<string | undefined> {
    return reasonOf(this.field(name))
  }

  private async shownAccount(): Promise<AccountForm> {
    const form = new AccountForm(this.page)
    await form.whenShown('#envlog-test')
    return form
  }
}
