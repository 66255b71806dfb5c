import { words } from '../red'
import type { Choice, Chosen } from './choice'
import { ago, batteryIcon, valuesOf } from './facts'
import { keysOf } from './keys'
import { type Branch, isFound, type Leaf } from './tree'

interface Row {
  element: JQuery
  /** Its check box, where it has one. */
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
  /** Shows what meets the search alone; blank shows all. How many devices are seen. */
  search(text: string): number
  /** Chooses all that can be seen, or none of it. */
  all(chosen: boolean): void
}

/** @param isKnown the account's devices are known: what is chosen and not among them is marked */
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
  keysOf(tree, fold)
  refresh()

  function fold(element: JQuery, open: boolean): void {
    element.toggleClass('envlog-folded', !open)
    element.find('.envlog-fold').attr('aria-expanded', String(open))
  }

  function set(leaf: Leaf, chosen: boolean): void {
    const { serial, base } = leaf
    if (chosen) choice.add(base === undefined ? { serial } : { serial, base })
    else choice.remove({ serial, ...(base === undefined ? {} : { base }) }, besideOf(leaf))
  }

  /** The same serial under other base units. */
  function besideOf({ serial, base }: Leaf): Chosen[] {
    const found = rows
      .flatMap((row) => row.rows.map((one) => one.leaf))
      .filter((one) => one.serial === serial)
    return found.flatMap((one) => (base && one.base && one.base !== base ? [{ serial, base: one.base }] : []))
  }

  function refresh(): void {
    for (const { branch, box, element, rows: leaves } of rows) {
      for (const { box: own, leaf } of leaves) own?.prop('checked', choice.has(leaf))
      const boxed = leaves.filter(({ leaf }) => leaf.box)
      const count = boxed.filter(({ leaf }) => choice.has(leaf)).length
      const isSelf = branch.box === 'self'
      const isWhole = isSelf ? choice.has({ serial: branch.serial ?? '' }) : count === boxed.length
      box?.prop({ checked: isWhole, indeterminate: !isSelf && count > 0 && !isWhole })
      const told = isSelf ? words('picker.under', { count: leaves.length }) : `${count}/${boxed.length}`
      element.find('.envlog-branch-count').text(told)
    }
  }

  function act(work: () => void): void {
    work()
    refresh()
    changed()
  }

  function checkbox(label: string, act_: (chosen: boolean) => void): JQuery<HTMLInputElement> {
    const box = $<HTMLInputElement>('<input type="checkbox">').attr('aria-label', label)
    return box.on('change', () => act(() => act_(Boolean(box.prop('checked')))))
  }

  function branchRow(branch: Branch): BranchRow {
    const { serial = '', name } = branch
    const title = branch.kind === 'base' ? name || serial : words(titleOf(branch, isKnown))
    const leaves = branch.leaves.map(leafRow)
    const element = $('<li class="envlog-branch">')
    const toggle = $('<button type="button" class="envlog-fold" aria-expanded="true" tabindex="-1">')
      .attr('aria-label', words('picker.fold', { name: title }))
      .append('<i class="fa fa-angle-down" aria-hidden="true">')
      .on('click', () => fold(element, element.hasClass('envlog-folded')))
    const label = $('<label>')
    const seen = () => leaves.filter(({ element: one, leaf }) => leaf.box && !one.prop('hidden'))
    const box =
      branch.box === 'none'
        ? undefined
        : checkbox(`${title} ${serial}`, (chosen) => {
            if (branch.box === 'self') set({ serial, box: true }, chosen)
            else for (const { leaf } of seen()) set(leaf, chosen)
          }).addClass('envlog-branch-box')
    if (box) label.append(box)
    label.append($('<span class="envlog-name">').text(title), $('<code>').text(serial))
    const head = $('<div class="envlog-branch-head">').append(
      toggle,
      label,
      $('<span class="envlog-branch-count">'),
    )
    element.append(head, $('<ul>').append(leaves.map((row) => row.element)))
    return { element, branch, rows: leaves, ...(box ? { box } : {}) }
  }

  function leafRow(leaf: Leaf): Row {
    const { device, serial, base } = leaf
    const name = device?.name || serial
    const element = $('<li class="envlog-leaf">')
    const label = $('<label>')
    const box = leaf.box ? checkbox(`${name} ${serial}`, (chosen) => set(leaf, chosen)) : undefined
    if (box) label.append(box)
    label.append($('<span class="envlog-name">').text(name))
    if (name !== serial || base)
      label.append($('<code>').text(device || !base ? serial : `${base}/${serial}`))
    element.append(label)
    if (device) element.append(facts(device))
    else if (isKnown) element.append($('<span class="envlog-facts">').text(words('picker.missing')))
    return { element, leaf, ...(box ? { box } : {}) }
  }

  function facts(device: NonNullable<Leaf['device']>): JQuery {
    const icon = batteryIcon(device.battery)
    const battery =
      icon && $('<i aria-hidden="true">').addClass(`fa ${icon} envlog-battery-${device.battery}`)
    const age = device.timestamp === null ? words('picker.never') : ago(device.timestamp, now)
    const more = [device.model, device.group, valuesOf(device, device.values.length)]
    if (icon) more.push(words(`battery.${device.battery}`))
    return $('<span class="envlog-facts">')
      .attr('title', more.filter(Boolean).join(' · '))
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
          const isHit = text.trim() === '' || isFound(text, branch, leaf)
          one.prop('hidden', !isHit)
          return isHit
        })
        element.prop('hidden', hits.length === 0)
        // What is found is not kept in a folded branch.
        if (text.trim() !== '' && hits.length > 0) fold(element, true)
        found += hits.length
      }
      return found
    },

    all(chosen) {
      act(() => {
        for (const { branch, element, rows: leaves } of rows.filter((row) => !row.element.prop('hidden'))) {
          if (element && branch.box === 'self') set({ serial: branch.serial ?? '', box: true }, chosen)
          for (const { leaf, element: one } of leaves) if (leaf.box && !one.prop('hidden')) set(leaf, chosen)
        }
      })
    },
  }
}

function titleOf({ kind }: Branch, isKnown: boolean): string {
  if (kind === 'standalone') return 'picker.standalone'
  return isKnown ? 'picker.unlisted' : 'picker.chosen'
}
