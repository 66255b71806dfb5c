/**
 * Keyboard navigation in a tree of checkboxes: one of them is in the page's tab order; up and down move between the
 * visible and enabled ones, left and right collapse or expand a branch. Space toggles, as in every checkbox.
 * @returns to be called when other checkboxes become visible; it updates the tab order
 */
export function keysOf(tree: JQuery, fold: (branch: JQuery, open: boolean) => void): () => void {
  const boxes = () => tree.find<HTMLInputElement>('input[type=checkbox]').filter(':visible:enabled')

  function focus(box: HTMLElement | undefined): void {
    if (!box) return
    tree.find('input[type=checkbox]').attr('tabindex', -1)
    $(box).attr('tabindex', 0).trigger('focus')
  }

  tree.on('keydown', (event) => {
    const all = boxes().toArray()
    const at = all.indexOf(event.target as HTMLInputElement)
    const branch = $(event.target as HTMLElement).closest('.envlog-branch')
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(all[at + 1]),
      ArrowUp: () => focus(all[at - 1]),
      Home: () => focus(all[0]),
      End: () => focus(all.at(-1)),
      ArrowRight: () => fold(branch, true),
      ArrowLeft: () => {
        const box = branch.find<HTMLInputElement>('.envlog-branch-box').get(0)
        // Otherwise the focused checkbox would be hidden.
        if (!box) return
        focus(box)
        fold(branch, false)
      },
    }
    const move = moves[event.key]
    if (at < 0 || !move) return
    event.preventDefault()
    event.stopPropagation()
    move()
  })
  tree.on('focusin', 'input[type=checkbox]', ({ target }) => {
    tree.find('input[type=checkbox]').attr('tabindex', -1)
    $(target as HTMLElement).attr('tabindex', 0)
  })

  function updateTabOrder(): void {
    if (boxes().filter('[tabindex=0]').length > 0) return
    tree.find('input[type=checkbox]').attr('tabindex', -1)
    boxes().first().attr('tabindex', 0)
  }
  updateTabOrder()
  return updateTabOrder
}
