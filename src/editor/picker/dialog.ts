import type { DeviceSource } from '../device-source'
import { getDeviceList } from '../device-source'
import { clockTime, enumerated, translate } from '../red'
import { type Chosen, createChoice } from './choice'
import { type Kind, treeOf } from './tree'
import { readTyped, readTypedGroups } from './typed'
import { showTree, type TreeView } from './view'

/**
 * The remaining requests of `current` are shown if there are at most this many, because refreshing the list uses one.
 */
const FEW_REQUESTS = 3

interface Picking {
  kind: Kind
  title: string
  chosen: readonly Chosen[]
  source: DeviceSource
  /** Called with the choice; not called on cancel. */
  done(chosen: Chosen[]): void
  /** Called when the form is visible again. */
  closed(): void
}

/** Opens the tray for choosing devices: from the account, by typing, or by pasting a list. */
export function pickDevices({ kind, title, chosen, source, done, closed }: Picking): void {
  const choice = createChoice(chosen)
  let view: TreeView | undefined
  let leave = () => {}

  function build(body: JQuery): void {
    const page = $('<div class="envlog-picker">').appendTo(body.empty())
    const search = $('<input type="text" data-envlog="search">').attr({
      'aria-label': translate('picker.search'),
      placeholder: translate('picker.search'),
    })
    const refresh = $(
      '<button type="button" class="red-ui-button red-ui-button-small" data-envlog="refresh">',
    )
      .append('<i class="fa fa-refresh" aria-hidden="true">')
      .attr('aria-label', translate('picker.refresh'))
      .on('click', () => void source.load(true))
    const button = (key: string, onClick: () => void) =>
      $('<button type="button" class="red-ui-button red-ui-button-small">')
        .attr('data-envlog', key)
        .text(translate(`picker.${key}`))
        .on('click', onClick)
    const state = $('<div class="envlog-picker-state" role="status">')
    const note = $('<div class="envlog-picker-note">')
    const place = $('<div class="envlog-picker-tree">')
    const count = $('<div class="envlog-picker-count" role="status">')
    const typing = kind === 'groups' ? 'picker.type-groups' : 'picker.type'
    const typed = $('<textarea rows="2" spellcheck="false" data-envlog="typed">').attr({
      'aria-label': translate(typing),
      placeholder: translate(typing),
    })
    const wrong = $('<div class="envlog-picker-wrong" role="alert">')

    const showCount = () => count.text(translate('picker.count', { count: choice.list().length }))
    const showList = () => {
      const list = getDeviceList(source)
      const branches = treeOf(kind, list?.devices ?? [], choice.list())
      view = showTree(place, branches, choice, list !== undefined, showCount)
      view.search(String(search.val()))
      showCount()
    }
    const showState = () => {
      const now = source.state()
      refresh.prop('disabled', now.kind === 'loading')
      state.toggleClass('envlog-failed', now.kind === 'failed')
      if (now.kind === 'loading') state.text(translate('picker.asking'))
      else if (now.kind === 'failed') state.text(now.why)
      else if (now.kind === 'loaded') {
        const { receivedAt, left, freeAt } = now.list
        const seen = translate('picker.as-of', { time: clockTime(receivedAt) })
        const cost =
          freeAt !== null
            ? translate('picker.free-at', { time: clockTime(freeAt) })
            : translate('picker.left', { count: left })
        state.text(left <= FEW_REQUESTS ? `${seen} ${cost}` : seen)
      } else state.text('')
      showList()
    }
    const addTyped = () => {
      const { found, wrong: invalid } = readKind(kind, String(typed.val()))
      for (const one of found) choice.add(one)
      typed.val(invalid.join(' '))
      wrong.text(invalid.length > 0 ? translate('picker.wrong', { words: enumerated(invalid) }) : '')
      showList()
    }

    const hint = kind === 'exclude' ? '' : translate(`picker.note-${kind}`)
    note.text(hint).toggle(hint !== '')
    page.append(
      $('<div class="envlog-picker-bar">').append(
        $('<span class="envlog-picker-search">').append(search),
        button('all', () => view?.all(true)),
        button('none', () => view?.all(false)),
        refresh,
      ),
      state,
      note,
      place,
      count,
      $('<div class="envlog-picker-typed">').append(typed, button('add', addTyped)),
      wrong,
    )
    const find = () => view?.search(String(search.val()))
    search.searchBox({ delay: 100, change: find })
    // The search box reacts to keys but not to pasted text.
    search.on('input', find)
    page.on('keydown', ({ key, target }) => {
      if (key !== 'Escape') return
      // The search box clears itself.
      if (target === search.get(0)) find()
      else RED.tray.close(closed)
    })
    leave = source.listen(showState)
    showState()
    if (source.state().kind !== 'loaded') void source.load()
    finish = () => {
      addTyped()
      return wrong.text() === ''
    }
  }

  let finish = () => true
  RED.tray.show({
    title,
    width: 600,
    buttons: [
      { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: () => RED.tray.close(closed) },
      {
        id: 'node-dialog-ok',
        text: RED._('common.label.done'),
        class: 'primary',
        click() {
          if (!finish()) return
          done(choice.list())
          RED.tray.close(closed)
        },
      },
    ],
    open: (tray) => build(tray.find('.red-ui-tray-body')),
    close: () => leave(),
  })
}

/** Parses the typed text as items of the given kind. */
function readKind(kind: Kind, text: string): { found: Chosen[]; wrong: string[] } {
  if (kind === 'groups') return { found: readTypedGroups(text).map((group) => ({ group })), wrong: [] }
  const { devices, wrong } = readTyped(text)
  if (kind === 'devices') return { found: devices, wrong }
  return { found: devices.map(({ serial }) => (kind === 'bases' ? { unit: serial } : { serial })), wrong }
}
