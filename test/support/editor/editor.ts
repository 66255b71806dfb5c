/** Node-RED's editor in a browser. */
import type { Browser, Locator, Page } from 'playwright-core'
import type { FlowNode } from '../node-red'
import { AccountForm } from './account-form'
import { ActionForm } from './action-form'
import { openPage, type PageOptions } from './page'

const LOADED_MS = 60_000

/** The part of the page's `RED` that tests use. */
interface Red {
  nodes: {
    node(id: string): Record<string, unknown> | null
    eachNode(visit: (node: FlowNode & { valid?: boolean }) => void): void
    eachConfig(visit: (node: FlowNode) => void): void
    getWorkspaceOrder(): string[]
    dirty(): boolean
  }
  history: { depth(): number; pop(): void }
  view: { selection(): { nodes?: { id: string }[] } }
  actions: { invoke(name: string): void }
  editor: { edit(node: object | null): void; editConfig(name: string, type: string, id: string): void }
}

declare const RED: Red

export class Editor {
  private constructor(
    readonly page: Page,
    readonly faults: string[],
    readonly close: () => Promise<void>,
  ) {}

  static async open(browser: Browser, url: string, options: PageOptions = {}): Promise<Editor> {
    const { page, faults, close } = await openPage(browser, url, options)
    await page.goto(`${url}/`)
    const loaded = { timeout: LOADED_MS }
    await page.locator('#red-ui-workspace-tabs li').first().waitFor(loaded)
    await page.locator('#red-ui-loading-progress').waitFor({ state: 'hidden', ...loaded })
    await page.locator('.red-ui-palette-node[data-palette-type=envlog-alerts]').waitFor(loaded)
    return new Editor(page, faults, close)
  }

  /** Drags a node from the palette to the workspace; returns its id. */
  async drop(type: string, at: { x: number; y: number }): Promise<string> {
    const item = this.page.locator(`.red-ui-palette-node[data-palette-type=${type}]`)
    await item.dragTo(this.page.locator('#red-ui-workspace-chart'), { targetPosition: at })
    const id = await this.page.evaluate(() => RED.view.selection().nodes?.[0]?.id)
    if (!id) throw new Error(`${type} was not dropped`)
    return id
  }

  /** Opens a node's form without the mouse: on a busy machine, a double click may become two clicks. */
  async edit(id: string): Promise<ActionForm> {
    await this.page.evaluate((node) => RED.editor.edit(RED.nodes.node(node)), id)
    const form = new ActionForm(this.page)
    await form.whenShown('#node-input-account, #node-input-limits')
    return form
  }

  async editLimits(id: string): Promise<ActionForm> {
    await this.page.evaluate((limits) => RED.editor.editConfig('', 'envlog-limits', limits), id)
    const form = new ActionForm(this.page)
    await form.whenShown('#node-config-input-battery')
    return form
  }

  async editAccount(id: string): Promise<AccountForm> {
    await this.page.evaluate((account) => RED.editor.editConfig('', 'envlog-account', account), id)
    const form = new AccountForm(this.page)
    await form.whenShown('#envlog-test')
    return form
  }

  node(id: string): Locator {
    return this.page.locator(`[id="${id}"]`)
  }

  /** The status below a node. */
  status(id: string): Locator {
    return this.node(id).locator('.red-ui-flow-node-status-label')
  }

  /** The properties of a node in the editor. */
  async properties(id: string): Promise<FlowNode> {
    return (await this.page.evaluate((node) => {
      const found = RED.nodes.node(node) ?? {}
      // Other properties refer to objects that cannot be copied.
      return Object.fromEntries(
        Object.entries(found).filter(([key]) => !key.startsWith('_') && key !== 'users'),
      )
    }, id)) as FlowNode
  }

  /** Imports an example of the package with the dialog, which must not ask what to do with existing nodes. @param path folder and name, as shown there */
  async importExample(path: readonly string[]): Promise<void> {
    const flows = await this.page.evaluate(() => {
      RED.actions.invoke('core:show-examples-import-dialog')
      return RED.nodes.getWorkspaceOrder().length
    })
    const dialog = this.page.locator('#red-ui-clipboard-dialog-import-tab-examples')
    for (const label of ['@envlog/node-red-envlog', ...path])
      await dialog.locator('.red-ui-treeList-label:visible').getByText(label, { exact: true }).click()
    await this.page.locator('#red-ui-clipboard-dialog-ok').click()
    await this.page.waitForFunction((before) => RED.nodes.getWorkspaceOrder().length > before, flows)
  }

  /** The action nodes of all flows. */
  ours(): Promise<{ id: string; account: unknown; limits: unknown; isValid: boolean | undefined }[]> {
    return this.page.evaluate(() => {
      const found: { id: string; account: unknown; limits: unknown; isValid: boolean | undefined }[] = []
      RED.nodes.eachNode(({ id, type, account, limits, valid: isValid }) => {
        if (type.startsWith('envlog-')) found.push({ id, account, limits, isValid })
      })
      return found
    })
  }

  /** The ids of the config nodes of this type. */
  configs(type: 'envlog-account' | 'envlog-limits'): Promise<string[]> {
    return this.page.evaluate((wanted) => {
      const found: string[] = []
      RED.nodes.eachConfig(({ id, type }) => {
        if (type === wanted) found.push(id)
      })
      return found
    }, type)
  }

  /** Undoes all changes that were not deployed; false if that is impossible, or if a dialog is open. */
  restore(): Promise<boolean> {
    return this.page.evaluate(() => {
      if (document.querySelector('.red-ui-tray')) return false
      while (RED.history.depth() > 0) RED.history.pop()
      return !RED.nodes.dirty()
    })
  }

  /** Presses *Deploy*; resolves when the editor has been notified of its completion. */
  async deploy(): Promise<void> {
    await this.page.locator('#red-ui-header-button-deploy').click()
    await this.page.waitForFunction(() => !RED.nodes.dirty())
  }
}
