import type { ListedDevice } from '../../shared/admin'
import { enumerated, translate } from '../red'
import { type Choice, type Chosen, idOf } from './choice'
import { ago, BATTERY_ICONS, valuesOf } from './device-texts'
import { type Branch, isFound, type Leaf } from './device-tree'

/** A device or a chosen item, with its elements. */
interface LeafRow extends Leaf {
  element: JQuery
  box: JQuery | undefined
}

/** A branch with its elements. */
interface BranchRow extends Branch {
  element: JQuery
  box: JQuery
  leaves: LeafRow[]
}

const isShown = ({ element }: LeafRow) => !element.prop('hidden')

/** A tree with checkboxes, which change the choice. */
export class TreeView {
  readonly element = $('<ul class="envlog-tree">')
  readonly #choice: Choice
  readonly #changed: () => void
  readonly #rows: BranchRow[]
  /** All items in the tree except branches. */
  readonly #listed: Chosen[]

  /** @param changed called after each change of the choice */
  constructor(branches: readonly Branch[], choice: Choice, changed: () => void) {
    this.#choice = choice
    this.#changed = changed
    this.#listed = branches.flatMap(({ leaves }) => leaves.flatMap(({ chooses }) => chooses ?? []))
    this.#rows = branches.map((branch) => this.#branchRow(branch))
    this.element.append(this.#rows.map(({ element }) => element))
    this.element.on('keydown', (event) => this.#onKey(event as unknown as KeyboardEvent))
    this.#refresh()
  }

  /** Whether no item is visible, because there is none or the search finds none. */
  get isBlank(): boolean {
    return this.#rows.every(({ element }) => element.prop('hidden'))
  }

  /** Shows only items that match the search. A blank search shows all. */
  search(text: string): void {
    for (const row of this.#rows) {
      for (const leaf of row.leaves) leaf.element.prop('hidden', !isFound(text, row, leaf))
      row.element.prop('hidden', !row.leaves.some(isShown))
      if (text.trim() !== '') this.#fold(row.element, false)
    }
  }

  /** Chooses all visible items, or none of them. */
  setAll(isChosen: boolean): void {
    for (const row of this.#rows) {
      const isWholeBranch = this.#has(row) || !row.leaves.some(({ box }) => box)
      const shown = row.leaves.filter(isShown)
      if (!isWholeBranch) for (const leaf of shown) this.#set(leaf.chooses, isChosen)
      // If a base unit or group is chosen with all its devices, the visible devices cannot be changed separately.
      else if (shown.length === row.leaves.length) this.#set(row.chooses, isChosen)
    }
    this.#refresh()
    this.#changed()
  }

  #has({ chooses }: { chooses?: Chosen }): boolean {
    return chooses !== undefined && this.#choice.has(chooses)
  }

  #set(chosen: Chosen | undefined, isChosen: boolean): void {
    if (!chosen) return
    if (isChosen) this.#choice.add(chosen)
    else this.#choice.remove(chosen, this.#listed)
  }

  #setBranch({ chooses, leaves }: BranchRow, isChosen: boolean): void {
    // A base unit or group includes its devices, so they are not also saved individually.
    if (chooses) for (const leaf of leaves) this.#set(leaf.chooses, false)
    else for (const leaf of leaves.filter(isShown)) this.#set(leaf.chooses, isChosen)
    this.#set(chooses, isChosen)
  }

  /** Updates the checkboxes and counts. */
  #refresh(): void {
    for (const row of this.#rows) {
      const isWholeBranch = this.#has(row)
      const selectable = row.leaves.filter(({ box }) => box)
      for (const leaf of selectable)
        leaf.box?.prop({ checked: isWholeBranch || this.#has(leaf), disabled: isWholeBranch })
      const count = selectable.filter((leaf) => this.#has(leaf)).length
      const isChecked = isWholeBranch || (!row.chooses && count === selectable.length)
      row.box.prop({ checked: isChecked, indeterminate: !isChecked && count > 0 })
      const isCounted = selectable.length > 0 && !isWholeBranch
      const all = translate('picker.under', { count: row.leaves.length })
      row.element.find('.envlog-branch-count').text(isCounted ? `${count}/${selectable.length}` : all)
    }
  }

  #fold(element: JQuery, isFolded: boolean): void {
    element.toggleClass('envlog-folded', isFolded)
    element.find('.envlog-fold').attr('aria-expanded', String(!isFolded))
  }

  /**
   * The up and down keys, Home and End move between visible, enabled checkboxes. Left folds a branch, and right unfolds
   * it.
   */
  #onKey(event: KeyboardEvent): void {
    const boxes = this.element.find('input').filter(':visible:enabled')
    const at = boxes.index(event.target as HTMLElement)
    const moves: Record<string, number> = {
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: boxes.length - 1,
    }
    const to = moves[event.key]
    if (to !== undefined) boxes.get(Math.max(0, to))?.focus()
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const branch = $(event.target as HTMLElement).closest('.envlog-branch')
      // Move the focus first, because folding may hide the focused checkbox.
      if (event.key === 'ArrowLeft') branch.find('input').first().trigger('focus')
      this.#fold(branch, event.key === 'ArrowLeft')
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  #branchRow(branch: Branch): BranchRow {
    const { serial = '', kind } = branch
    const name = branch.name || serial || translate(`picker.${kind}`)
    const leaves = branch.leaves.map((leaf) => this.#leafRow(branch, leaf))
    const element = create('li', 'envlog-branch')
    const toggle = $('<button type="button" class="envlog-fold" aria-expanded="true" tabindex="-1">')
      .attr('aria-label', translate('picker.fold', { name }))
      .append('<i class="fa fa-angle-down" aria-hidden="true">')
      .on('click', () => this.#fold(element, !element.hasClass('envlog-folded')))
    const box = this.#checkbox(name, serial, (isChosen) => this.#setBranch(row, isChosen))
    const count = create('span', 'envlog-branch-count')
    const head = create('div', 'envlog-branch-head').append(toggle, labelOf(box, name, serial), count)
    element.append(head, $('<ul>').append(leaves.map((leaf) => leaf.element)))
    const row = { ...branch, element, box, leaves }
    return row
  }

  #leafRow({ kind }: Branch, leaf: Leaf): LeafRow {
    const { device, chooses } = leaf
    const id = device?.serial ?? (chooses ? idOf(chooses) : '')
    const name = device?.name || id
    const serial = name === id ? '' : id
    const box = chooses && this.#checkbox(name, serial, (isChosen) => this.#set(chooses, isChosen))
    const isMissing = kind === 'unlisted'
    const element = create('li', 'envlog-leaf').toggleClass('envlog-missing', isMissing)
    element.append(labelOf(box, name, serial))
    if (device) element.append(factsOf(device))
    else if (isMissing) element.append(create('span', 'envlog-facts').text(translate('picker.missing')))
    return { ...leaf, element, box }
  }

  #checkbox(name: string, serial: string, set: (isChosen: boolean) => void): JQuery {
    const box = create('input').attr({ type: 'checkbox', 'aria-label': `${name} ${serial}`.trim() })
    return box.on('change', () => {
      set(box.is(':checked'))
      this.#refresh()
      this.#changed()
    })
  }
}

/** Creates an element faster than from HTML, because there may be thousands. */
const create = (tag: string, className = '') => $(document.createElement(tag)).addClass(className)

function labelOf(box: JQuery | undefined, name: string, serial: string): JQuery {
  const texts = [create('span', 'envlog-name').text(name), $('<code>').text(serial)]
  return $('<label>').append(box ?? '', texts)
}

/** Values, age and battery of a device. */
function factsOf(device: ListedDevice): JQuery {
  const { timestamp, model, group, channels } = device
  const { level } = device.battery
  const icon = BATTERY_ICONS[level]
  const more = [model, group?.name, valuesOf(device, channels.length), icon && translate(`battery.${level}`)]
  const age = timestamp === null ? translate('picker.never') : ago(timestamp, Date.now())
  return create('span', 'envlog-facts')
    .attr('title', enumerated(more.flatMap((text) => text || [])))
    .append(
      create('span', 'envlog-values').text(valuesOf(device)),
      create('span', 'envlog-age').text(age),
      create('i')
        .attr('aria-hidden', 'true')
        .addClass(icon ? `fa ${icon} envlog-battery-${level}` : ''),
    )
}
