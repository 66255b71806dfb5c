import type { DeviceSource } from '../device-source'
import { getDeviceList } from '../device-source'
import { clockTime, enumerated, words } from '../red'
import { type Chosen, createChoice } from './choice'
import { type Kind, treeOf } from './tree'
import { readTyped, readTypedGroups } from './typed'
import { showTree, type TreeView } from './view'

/** Requests of `current` that are so few are worth a word before one is spent. */
const FEW = 3

interface Picking {
  kind: Kind
  title: string
  chosen: readonly Chosen[]
  source: DeviceSource
  /** What was chosen in the end; not called where it is given up. */
  done(chosen: Chosen[]): void
  /** The form is there again. */
  closed(): void
}

/** Opens the page on which devices are picked: from the account, by typing, or by pasting a list. */
export function pickDevices({ kind, title, chosen, source, done, closed }: Picking): void {
  const choice = createChoice(chosen)
  let view: TreeView | undefined
  let leave = () => {}

  function build(body: JQuery): void {
    const page = $('<div class="envlog-picker">').appendTo(body.empty())
    const search = $('<input type="text" data-envlog="search">').attr({
      'aria-label': words('picker.search'),
      placeholder: words('picker.search'),
    })
    const refresh = $(
      '<button type="button" class="red-ui-button red-ui-button-small" data-envlog="refresh">',
    )
      .append('<i class="fa fa-refresh" aria-hidden="true">')
      .attr('aria-label', words('picker.refresh'))
      .on('click', () => void source.load(true))
    const button = (key: string, act: () => void) =>
      $('<button type="button" class="red-ui-button red-ui-button-small">')
        .attr('data-envlog', key)
        .text(words(`picker.${key}`))
        .on('click', act)
    const state = $('<div class="envlog-picker-state" role="status">')
    const note = $('<div class="envlog-picker-note">')
    const place = $('<div class="envlog-picker-tree">')
    const count = $('<div class="envlog-picker-count" role="status">')
    const typing = kind === 'groups' ? 'picker.type-groups' : 'picker.type'
    const typed = $('<textarea rows="2" spellcheck="false" data-envlog="typed">').attr({
      'aria-label': words(typing),
      placeholder: words(typing),
    })
    const wrong = $('<div class="envlog-picker-wrong" role="alert">')

    const showCount = () => count.text(words('picker.count', { count: choice.list().length }))
    const showList = () => {
      const list = getDeviceList(source)
      const branches = treeOf(kind, list?.devices ?? [], choice.list())
      view = showTree(place, branches, choice, list !== undefined, showCount)
      view.search(String(search.val()))
      showCount()
    }
    const showState = () => {
      const now = source.state()
      refresh.prop('disabled', now.kind === 'asking')
      state.toggleClass('envlog-failed', now.kind === 'failed')
      if (now.kind === 'asking') state.text(words('picker.asking'))
      else if (now.kind === 'failed') state.text(now.why)
      else if (now.kind === 'here') {
        const { receivedAt, left, freeAt } = now.list
        const seen = words('picker.as-of', { time: clockTime(receivedAt) })
        const cost =
          freeAt !== null
            ? words('picker.free-at', { time: clockTime(freeAt) })
            : words('picker.left', { count: left })
        state.text(left <= FEW ? `${seen} ${cost}` : seen)
      } else state.text('')
      showList()
    }
    const take = () => {
      const { found, wrong: words_ } = readKind(kind, String(typed.val()))
      for (const one of found) choice.add(one)
      typed.val(words_.join(' '))
      wrong.text(words_.length > 0 ? words('picker.wrong', { words: enumerated(words_) }) : '')
      showList()
    }

    const noted = kind === 'exclude' ? '' : words(`picker.note-${kind}`)
    note.text(noted).toggle(noted !== '')
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
      $('<div class="envlog-picker-typed">').append(typed, button('add', take)),
      wrong,
    )
    const find = () => view?.search(String(search.val()))
    search.searchBox({ delay: 100, change: find })
    // Its box hears keys alone, not what is pasted.
    search.on('input', find)
    page.on('keydown', ({ key, target }) => {
      if (key !== 'Escape') return
      // The search box empties itself.
      if (target === search.get(0)) find()
      else RED.tray.close(closed)
    })
    leave = source.listen(showState)
    showState()
    if (source.state().kind !== 'here') void source.load()
    finish = () => {
      take()
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

/** What is typed, as what is being chosen here. */
function readKind(kind: Kind, text: string): { found: Chosen[]; wrong: string[] } {
  if (kind === 'groups') return { found: readTypedGroups(text).map((group) => ({ group })), wrong: [] }
  const { devices, wrong } = readTyped(text)
  if (kind === 'devices') return { found: devices, wrong }
  return { found: devices.map(({ serial }) => (kind === 'bases' ? { unit: serial } : { serial })), wrong }
}
