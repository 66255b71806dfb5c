import type { DeviceSource } from '../device-source'
import { enumerated, translate } from '../red'
import { Choice, type Chosen, idOf } from './choice'
import { describeState } from './device-texts'
import { findUnlisted, type Kind, treeOf, withBaseUnits } from './device-tree'
import { parseChosen } from './parse-chosen'
import { TreeView } from './tree-view'

const PAGE = `
<div class="envlog-picker">
  <div class="envlog-picker-bar">
    <input type="search" data-envlog="search">
    <button type="button" class="red-ui-button red-ui-button-small" data-envlog="all"></button>
    <button type="button" class="red-ui-button red-ui-button-small" data-envlog="none"></button>
    <button type="button" class="red-ui-button red-ui-button-small" data-envlog="refresh">
      <i class="fa fa-refresh" aria-hidden="true"></i>
    </button>
  </div>
  <div class="envlog-picker-state" role="status"></div>
  <div class="envlog-picker-note"></div>
  <div class="envlog-picker-empty" role="status"></div>
  <div class="envlog-picker-tree"></div>
  <div class="envlog-picker-count" role="status"></div>
  <div class="envlog-picker-typed">
    <textarea rows="2" spellcheck="false" data-envlog="typed"></textarea>
    <button type="button" class="red-ui-button red-ui-button-small" data-envlog="add"></button>
  </div>
  <div class="envlog-picker-wrong" role="alert"></div>
</div>`

/** The tray in which users choose devices from the account, type them or paste a list. */
export class Picker {
  readonly #kind: Kind
  readonly #chosen: readonly Chosen[]
  readonly #source: DeviceSource
  readonly #closed: (chosen: readonly Chosen[]) => void
  readonly #choice: Choice
  readonly #page = $(PAGE)
  #tree: TreeView

  /** @param closed called with the choice, which is unchanged on cancel, when the form is visible again */
  constructor(
    kind: Kind,
    chosen: readonly Chosen[],
    source: DeviceSource,
    closed: (chosen: readonly Chosen[]) => void,
  ) {
    this.#kind = kind
    this.#chosen = chosen
    this.#source = source
    this.#closed = closed
    this.#choice = new Choice(chosen)
    this.#tree = new TreeView([], this.#choice, () => this.#showCount())
    this.#label()
    this.#listen()
  }

  open(): void {
    RED.tray.show({
      title: translate(`picker.title-${this.#kind}`),
      width: 600,
      buttons: [
        { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: () => this.#cancel() },
        {
          id: 'node-dialog-ok',
          text: RED._('common.label.done'),
          class: 'primary',
          click: () => this.#addTyped() && this.#close(this.#choice.items),
        },
      ],
      open: (tray) => {
        tray.find('.red-ui-tray-body').empty().append(this.#page)
        this.#show()
        if (this.#source.state.kind !== 'loaded') void this.#source.load()
      },
      close: this.#source.listen(() => this.#show()),
    })
  }

  #part(name: string): JQuery {
    return this.#page.find(`[data-envlog=${name}], .envlog-picker-${name}`)
  }

  #label(): void {
    for (const name of ['all', 'none', 'add']) this.#part(name).text(translate(`picker.${name}`))
    const label = (text: string) => ({ 'aria-label': text, placeholder: text })
    const typed = this.#kind === 'groups' ? 'picker.type-groups' : 'picker.type'
    this.#part('search').attr(label(translate('picker.search')))
    this.#page.find('textarea').attr(label(translate(typed)))
    if (this.#kind !== 'exclude') this.#part('note').text(translate(`picker.note-${this.#kind}`))
    this.#part('refresh').attr('aria-label', translate('picker.refresh'))
  }

  #listen(): void {
    const search = this.#part('search').on('input', () => this.#find())
    this.#part('all').on('click', () => this.#tree.setAll(true))
    this.#part('none').on('click', () => this.#tree.setAll(false))
    this.#part('refresh').on('click', () => void this.#source.load({ refresh: true }))
    this.#part('add').on('click', () => this.#addTyped())
    this.#page.on('keydown', ({ key, target }) => {
      if (key !== 'Escape') return
      // In Firefox, a search field does not clear itself.
      if (target === search[0] && search.val()) search.val('').trigger('input')
      else this.#cancel()
    })
  }

  #close(result: readonly Chosen[]): void {
    RED.tray.close(() => this.#closed(result))
  }

  #cancel(): void {
    this.#close(this.#chosen)
  }

  #show(): void {
    const { state } = this.#source
    this.#part('refresh').prop('disabled', state.kind === 'loading')
    this.#part('state')
      .text(describeState(state))
      .toggleClass('envlog-failed', state.kind === 'failed')
    this.#showTree()
  }

  #showTree(): void {
    const roots = treeOf(this.#kind, this.#source.devices, this.#choice.items)
    this.#tree = new TreeView(roots, this.#choice, () => this.#showCount())
    this.#part('tree').empty().append(this.#tree.element)
    this.#find()
    this.#showCount()
  }

  #showCount(): void {
    this.#part('count').text(translate('picker.count', { count: this.#choice.items.length }))
  }

  /** Shows what the search finds, or why there is nothing to choose. */
  #find(): void {
    this.#tree.search(String(this.#part('search').val()))
    const { devices } = this.#source
    let why = ''
    if (devices?.length === 0) why = 'summary.no-devices'
    else if (this.#kind === 'groups' && devices?.every(({ group }) => !group)) why = 'picker.no-groups'
    else if (devices && this.#tree.isBlank) why = 'picker.no-match'
    this.#part('empty').text(why && translate(why))
  }

  /** Adds the typed items. Invalid words stay in the field. @returns whether there are none */
  #addTyped(): boolean {
    const typed = this.#page.find('textarea')
    const { found: parsed, wrong } = parseChosen(this.#kind, String(typed.val()))
    const { devices } = this.#source
    const found = devices && this.#kind === 'devices' ? withBaseUnits(devices, parsed) : parsed
    for (const item of found) this.#choice.add(item)
    typed.val(wrong.join(' '))
    const unlisted = devices ? findUnlisted(devices, found).map(idOf) : []
    const notes = [
      wrong.length > 0 ? translate('picker.wrong', { words: enumerated(wrong) }) : '',
      unlisted.length > 0 ? translate('picker.not-listed', { words: enumerated(unlisted) }) : '',
    ]
    this.#part('wrong').text(notes.join(' ').trim())
    if (found.length > 0) this.#showTree()
    return wrong.length === 0
  }
}
