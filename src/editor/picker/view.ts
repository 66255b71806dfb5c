import { enumerated, translate } from '../red'
import { type Choice, type Chosen, type ChosenDevice, isDevice } from './choice'
import { ago, batteryIcon, valuesOf } from './device-texts'
import { keysOf } from './keys'
import { type Branch, isFound, type Leaf } from './tree'

interface Row {
  element: JQuery
  /** Its checkbox, if it has one. */
  box?: JQuery<HTMLInputElement>
  leaf: Leaf
}

interface BranchRow {
  element: JQuery
  box?: JQuery<HTMLInputElement>
  branch: Branch
  rows: Row[]
}

export interface TreeView {
  /** Shows only items that match the search; a blank search shows all. Returns the number of visible devices. */
  search(text: string): number
  /** Chooses all visible items, or none of them. */
  all(chosen: boolean): void
}

/** @param isKnown whether the account's devices are known, so that missing chosen ones can be marked */
export function showTree(
  place: JQuery,
  branches: readonly Branch[],
  choice: Choice,
  isKnown: boolean,
  changed: () => void,
): TreeView {
  const now = Date.now()
  const tree = $('<ul class="envlog-tree">')
  const rows = branches.map((branch) => branchRow(branch))
  tree.append(rows.map(({ element }) => element))
  place.empty().append(tree)
  const updateTabOrder = keysOf(tree, fold)
  refresh()

  function fold(element: JQuery, open: boolean): void {
    element.toggleClass('envlog-folded', !open)
    element.find('.envlog-fold').attr('aria-expanded', String(open))
    updateTabOrder()
  }

  function set(chosen: Chosen, isChosen: boolean): void {
    if (isChosen) choice.add(chosen)
    else choice.remove(chosen, isDevice(chosen) ? sameSerial(chosen) : [])
  }

  /** The same serial under other base units. */
  function sameSerial({ serial, base }: ChosenDevice): ChosenDevice[] {
    const all = rows.flatMap((row) => row.rows.flatMap(({ leaf }) => leaf.chooses ?? []))
    return all
      .filter(isDevice)
      .filter((one) => one.serial === serial && base && one.base && one.base !== base)
  }

  /** Whether the base unit or group itself is chosen, which includes all its leaves. */
  function isBranchChosen({ box }: Branch): boolean {
    return typeof box === 'object' && choice.has(box)
  }

  function isChosen({ chooses }: Leaf): boolean {
    return chooses !== undefined && choice.has(chooses)
  }

  function refresh(): void {
    for (const { branch, box, element, rows: leaves } of rows) {
      const [isAll, selectable] = [isBranchChosen(branch), leaves.filter(({ box: own }) => own)]
      for (const { box: own, leaf } of selectable) {
        own?.prop({ checked: isAll || isChosen(leaf), disabled: isAll })
      }
      const count = selectable.filter(({ leaf }) => isChosen(leaf)).length
      const areAllChosen = branch.box === 'leaves' && count === selectable.length
      box?.prop({ checked: isAll || areAllChosen, indeterminate: !isAll && !areAllChosen && count > 0 })
      const isCounted = selectable.length > 0 && !isAll
      element
        .find('.envlog-branch-count')
        .text(
          isCounted ? `${count}/${selectable.length}` : translate('picker.under', { count: leaves.length }),
        )
    }
  }

  /** A base unit includes its devices, so they are not saved individually as well. */
  function setBranch({ branch, rows: leaves }: BranchRow, isChosen: boolean): void {
    if (typeof branch.box !== 'object') {
      for (const { leaf, element } of leaves) if (!element.prop('hidden')) setLeaf(leaf, isChosen)
      return
    }
    if (isChosen) for (const { leaf } of leaves) setLeaf(leaf, false)
    set(branch.box, isChosen)
  }

  function setLeaf({ chooses }: Leaf, isChosen: boolean): void {
    if (chooses) set(chooses, isChosen)
  }

  function change(work: () => void): void {
    work()
    refresh()
    changed()
  }

  function checkbox(label: string, onChange: (chosen: boolean) => void): JQuery<HTMLInputElement> {
    const box = $<HTMLInputElement>('<input type="checkbox">').attr('aria-label', label)
    return box.on('change', () => change(() => onChange(Boolean(box.prop('checked')))))
  }

  function branchRow(branch: Branch): BranchRow {
    const { serial = '', name } = branch
    const title = name || serial || translate(titleOf(branch, isKnown))
    const leaves = branch.leaves.map(leafRow)
    const element = $('<li class="envlog-branch">')
    const toggle = $('<button type="button" class="envlog-fold" aria-expanded="true" tabindex="-1">')
      .attr('aria-label', translate('picker.fold', { name: title }))
      .append('<i class="fa fa-angle-down" aria-hidden="true">')
      .on('click', () => fold(element, element.hasClass('envlog-folded')))
    const label = $('<label>')
    const box =
      branch.box === 'none'
        ? undefined
        : checkbox(`${title} ${serial}`.trim(), (chosen) => setBranch(row, chosen)).addClass(
            'envlog-branch-box',
          )
    if (box) label.append(box)
    label.append($('<span class="envlog-name">').text(title), $('<code>').text(serial))
    const head = $('<div class="envlog-branch-head">').append(
      toggle,
      label,
      $('<span class="envlog-branch-count">'),
    )
    element.append(head, $('<ul>').append(leaves.map((row) => row.element)))
    const row: BranchRow = { element, branch, rows: leaves, ...(box ? { box } : {}) }
    return row
  }

  function leafRow(leaf: Leaf): Row {
    const { device, chooses } = leaf
    const id = device?.serial ?? (chooses ? idOf(chooses) : '')
    const name = device?.name || id
    const element = $('<li class="envlog-leaf">')
    const label = $('<label>')
    const box = chooses && checkbox(name === id ? id : `${name} ${id}`, (chosen) => setLeaf(leaf, chosen))
    if (box) label.append(box)
    label.append($('<span class="envlog-name">').text(name))
    if (name !== id) label.append($('<code>').text(id))
    element.append(label)
    if (device) element.append(facts(device))
    else if (isKnown) {
      element
        .addClass('envlog-missing')
        .append($('<span class="envlog-facts">').text(translate('picker.missing')))
    }
    return { element, leaf, ...(box ? { box } : {}) }
  }

  function facts(device: NonNullable<Leaf['device']>): JQuery {
    const icon = batteryIcon(device.battery)
    const battery =
      icon && $('<i aria-hidden="true">').addClass(`fa ${icon} envlog-battery-${device.battery}`)
    const age = device.timestamp === null ? translate('picker.never') : ago(device.timestamp, now)
    const more = [device.model, device.group, valuesOf(device, device.values.length)]
    if (icon) more.push(translate(`battery.${device.battery}`))
    return $('<span class="envlog-facts">')
      .attr('title', enumerated(more.filter(Boolean)))
      .append(
        $('<span class="envlog-values">').text(valuesOf(device)),
        $('<span class="envlog-age">').text(age),
      )
      .append(battery ?? $('<i>'))
  }

  return {
    search(text) {
      let found = 0
      for (const { element, branch, rows: leaves } of rows) {
        const hits = leaves.filter(({ element: one, leaf }) => {
          const isHit = text.trim() === '' || isFound(text, branch, leaf, localizeQuantity)
          one.prop('hidden', !isHit)
          return isHit
        })
        element.prop('hidden', hits.length === 0)
        // A branch with a match is expanded.
        if (text.trim() !== '' && hits.length > 0) fold(element, true)
        found += hits.length
      }
      updateTabOrder()
      return found
    },

    all(chosen) {
      change(() => {
        for (const row of rows) {
          const visible = row.rows.filter(({ element }) => !element.prop('hidden'))
          const isFullyVisible = visible.length > 0 && visible.length === row.rows.length
          // A partly visible base unit stays as it is.
          if (isBranchChosen(row.branch) && !isFullyVisible) continue
          if (isBranchChosen(row.branch) || !visible.some(({ box }) => box)) {
            if (isFullyVisible) setBranch(row, chosen)
          } else for (const { leaf } of visible) setLeaf(leaf, chosen)
        }
      })
    },
  }
}

/** Text that identifies an item: a serial, `base/serial`, or a group's name. */
export function idOf(chosen: Chosen): string {
  if (!isDevice(chosen)) return 'unit' in chosen ? chosen.unit : chosen.group
  return chosen.base ? `${chosen.base}/${chosen.serial}` : chosen.serial
}

const localizeQuantity = (quantity: string) => translate(`quantity.${quantity}`)

function titleOf({ kind }: Branch, isKnown: boolean): string {
  if (kind === 'standalone') return 'picker.standalone'
  return isKnown ? 'picker.unlisted' : 'picker.chosen'
}
