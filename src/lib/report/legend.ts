import { type Html, html } from './html'
import type { Wording } from './wording'

const SIGNS: readonly [key: string, sign: Html][] = [
  ['mean', html`<path class="value" d="M1 9l7-5 7 4 10-6"/>`],
  ['range', html`<rect class="range" y="2" width="26" height="8"/>`],
  ['limit', html`<path class="limit dash0" d="M0 6h26"/>`],
  ['outside', html`<rect class="outside" width="26" height="12"/><rect class="bar" width="26" height="2"/>`],
  ['error', html`<rect class="error" width="26" height="12"/>`],
  ['gap', html`<rect class="gap" width="26" height="12"/>`],
]

/** What the signs in charts mean. */
export function legend(words: Wording): Html {
  const items = SIGNS.map(([key, sign]) => {
    const text = words.say(`legend.${key}`)
    return html`<li><svg viewBox="0 0 26 12" aria-hidden="true">${sign}</svg>${text}</li>
`
  })
  return html`<ul class="legend">
${items}</ul>
`
}
