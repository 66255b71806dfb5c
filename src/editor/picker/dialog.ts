import type { DeviceSource } from '../device-source'
import { enumerated, translate } from '../red'
import { Choice, type Chosen, idOf } from './choice'
import { describeState } from './device-texts'
import { findUnlisted, type Kind, treeOf } from './device-tree'
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

/**
 * Opens the tray in which users choose devices from the account, type them or paste a list.
 * @param closed called with the choice, which is unchanged on cancel, when the form is visible again
 */
export function pickDevices(
  kind: Kind,
  chosen: readonly Chosen[],
  source: DeviceSource,
  closed: (chosen: readonly Chosen[]) => void,
): void {
  const choice = new Choice(chosen)
  const page = $(PAGE)
  const part = (name: string) => page.find(`[data-envlog=${name}], .envlog-picker-${name}`)
  const [search, typed] = [part('search'), page.find('textarea')]
  let tree = new TreeView([], choice, showCount)

  function showCount(): void {
    part('count').text(translate('picker.count', { count: choice.items.length }))
  }

  function showTree(): void {
    tree = new TreeView(treeOf(kind, source.devices, choice.items), choice, showCount)
    part('tree').empty().append(tree.element)
    find()
    showCount()
  }

  /** Shows what the search finds, or why there is nothing to choose. */
  function find(): void {
    tree.search(String(search.val()))
    const { devices } = source
    let why = ''
    if (devices?.length === 0) why = 'summary.no-devices'
    else if (kind === 'groups' && devices?.every(({ group }) => !group)) why = 'picker.no-groups'
    else if (devices && tree.isBlank) why = 'picker.no-match'
    part('empty').text(why && translate(why))
  }

  function show(): void {
    const { state } = source
    part('refresh').prop('disabled', state.kind === 'loading')
    part('state')
      .text(describeState(state))
      .toggleClass('envlog-failed', state.kind === 'failed')
    showTree()
  }

  /** Adds the typed items. Invalid words stay in the field. @returns whether there are none */
  function addTyped(): boolean {
    const { found, wrong } = parseChosen(kind, String(typed.val()))
    for (const item of found) choice.add(item)
    typed.val(wrong.join(' '))
    const unlisted = findUnlisted(source.devices ?? [], found).map(idOf)
    const notes = [
      wrong.length > 0 ? translate('picker.wrong', { words: enumerated(wrong) }) : '',
      source.devices && unlisted.length > 0
        ? translate('picker.not-listed', { words: enumerated(unlisted) })
        : '',
    ]
    part('wrong').text(notes.join(' ').trim())
    if (found.length > 0) showTree()
    return wrong.length === 0
  }

  const close = (result: readonly Chosen[]) => RED.tray.close(() => closed(result))
  const cancel = () => close(chosen)
  for (const name of ['all', 'none', 'add']) part(name).text(translate(`picker.${name}`))
  const label = (text: string) => ({ 'aria-label': text, placeholder: text })
  search.attr(label(translate('picker.search')))
  typed.attr(label(translate(kind === 'groups' ? 'picker.type-groups' : 'picker.type')))
  if (kind !== 'exclude') part('note').text(translate(`picker.note-${kind}`))
  part('refresh').attr('aria-label', translate('picker.refresh'))
  search.on('input', find)
  part('all').on('click', () => tree.setAll(true))
  part('none').on('click', () => tree.setAll(false))
  part('refresh').on('click', () => void source.load({ refresh: true }))
  part('add').on('click', addTyped)
  page.on('keydown', ({ key, target }) => {
    if (key !== 'Escape') return
    // In Firefox, a search field does not clear itself.
    if (target === search[0] && search.val()) search.val('').trigger('input')
    else cancel()
  })
  const stopListening = source.listen(show)
  RED.tray.show({
    title: translate(`picker.title-${kind}`),
    width: 600,
    buttons: [
      { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: cancel },
      {
        id: 'node-dialog-ok',
        text: RED._('common.label.done'),
        class: 'primary',
        click: () => addTyped() && close(choice.items),
      },
    ],
    open(tray) {
      tray.find('.red-ui-tray-body').empty().append(page)
      show()
      if (source.state.kind !== 'loaded') void source.load()
    },
    close: stopListening,
  })
}
