import { nextTurn } from '../clock'
import type { Translate } from '../texts'
import { checkedDevices, checkHeads, checkRows } from './check-table'
import { deviceCard } from './device-card'
import { cssText, type Html, html } from './html'
import { legend } from './legend'
import { nameOf, type PageContext } from './parts'
import { printStyle } from './print-style'
import type { ReportData, ReportHead } from './report-data'
import {
  excursionSection,
  facts,
  limitsSection,
  missingSection,
  outsideSection,
  overviewHeads,
  overviewRows,
} from './sections'
import { style } from './style'
import { Wording } from './wording'

const MARKS = { good: '✓', warning: '!', bad: '✕', 'not-done': '✕' }

/**
 * The page of a report: one HTML file without scripts and outside resources. Other work may run between devices.
 * @param translate translates to the language of the report
 */
export async function renderPage(data: ReportData, translate: Translate): Promise<string> {
  const pieces: string[] = []
  for (const piece of pageOf(data, new Wording(data.head.language, translate))) {
    pieces.push(`${piece ?? ''}`)
    await nextTurn()
  }
  return pieces.join('')
}

interface NotDone {
  head: Pick<ReportHead, 'language' | 'site'>
  title: string
  /** As `Wording.period` says it. */
  period: string
}

/** A page in place of a report that could not be made. @param why a sentence in the language of the report */
export function renderNotDone({ head, title, period }: NotDone, why: string, translate: Translate): string {
  const words = new Wording(head.language, translate)
  const notDone = words.say('not-done')
  const site = head.site !== '' && html`<p>${words.named(words.say('site'), head.site)}</p>`
  const verdict = words.named(notDone, why)
  return `${html`${beginning(words.language, title, period, notDone)}${heading({ title, period, verdict, level: 'not-done' })}
<p>${words.say('not-done-note')}</p>
${site}
</main>
</body>
</html>
`}`
}

function* pageOf(data: ReportData, words: Wording): Generator<Html | null> {
  const titles = data.devices.map((device, index) => {
    const place = { title: words.device(device, data.devices), id: `d${index + 1}` }
    return [device, place] as const
  })
  const isKinetic = data.devices.some(({ channels }) => channels.some(({ mkt }) => mkt !== null))
  const context: PageContext = { data, words, titles: new Map(titles), isKinetic }
  const { title } = data.head
  const [period, verdict] = [words.period(data), words.verdict(data)]
  yield beginning(words.language, title, period, verdict)
  yield heading({ title, period, verdict, level: data.verdict.level })
  yield facts(context)
  yield* missingSection(context)
  yield* excursionSection(context)
  yield outsideSection(context)
  yield* checkTable(context)
  yield* overview(context)
  yield* charts(context)
  yield limitsSection(context)
  yield ending(context)
}

function beginning(language: string, title: string, period: string, verdict: string): Html {
  const running = cssText(`${title} · ${period}`)
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} ${period}: ${verdict}</title>
<style>
${style}
${printStyle}
@page { @top-left { content: ${running} } }
@page :first { @top-left { content: "" } }
</style>
</head>
<body>
<svg class="unseen" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="2.4" height="6"/></pattern></defs></svg>
<main>
`
}

function heading({
  title,
  period,
  verdict,
  level,
}: {
  title: string
  period: string
  verdict: string
  level: keyof typeof MARKS
}): Html {
  const kind = level === 'not-done' ? 'bad' : level
  return html`<header>
<h1 dir="auto">${title}</h1>
<p class="date">${period}</p>
</header>
<p class="verdict ${kind}"><span class="mark" aria-hidden="true">${MARKS[level]}</span><span>${verdict}</span></p>
`
}

function* checkTable(context: PageContext): Generator<Html> {
  const devices = checkedDevices(context)
  if (devices.length === 0) return
  yield html`<section>
<h2>${context.words.say('results')}</h2>
<table class="check">
${checkHeads(context)}<tbody>
`
  for (const device of devices) yield checkRows(device, context)
  yield html`</tbody>
</table>
</section>
`
}

function* overview(context: PageContext): Generator<Html> {
  const shown = measured(context)
  if (shown.length === 0) return
  yield html`<section>
<h2>${context.words.say('overview')}</h2>
<table class="overview">
${overviewHeads(context)}<tbody>
`
  for (const device of shown) yield overviewRows(device, context)
  yield html`</tbody>
</table>
</section>
`
}

const measured = ({ data }: PageContext) => data.devices.filter(({ channels }) => channels.length > 0)

/** A card for each device, in groups. */
function* charts(context: PageContext): Generator<Html> {
  const { words } = context
  const shown = measured(context)
  if (shown.length === 0) return
  yield html`<section>
<h2>${words.say('charts')}</h2>
${legend(words)}`
  const isGrouped = shown.some(({ group }) => group !== '')
  const kind = shown.length === 1 ? 'devices single' : 'devices'
  for (const group of new Set(shown.map((device) => device.group))) {
    const heading = group === '' ? words.say('no-group') : nameOf(group)
    yield html`${isGrouped && html`<h3 class="group">${heading}</h3>`}
<div class="${kind}">
`
    for (const device of shown)
      if (device.group === group) yield deviceCard(device, context, isGrouped ? 4 : 3)
    yield html`</div>
`
  }
  yield html`</section>
`
}

function ending({ data, words, isKinetic }: PageContext): Html {
  const isCheck = data.period.kind === 'now'
  const notes = [
    ...(isCheck ? ['note-check'] : ['note-coverage', 'note-excursion']),
    ...(isKinetic ? ['note-kinetic'] : []),
  ]
  const blanks = ['signature-by', 'signature-date', 'signature-remark'].map(
    (key) => html`<span>${words.say(key)}</span>`,
  )
  return html`${
    data.head.signature &&
    html`<section class="signature">
<h2>${words.say('signature')}</h2>
<p>${blanks}</p>
</section>
`
  }<footer>
${notes.map(
  (key) => html`<p>${words.say(key)}</p>
`,
)}<p class="checksum">${words.named(words.say('checksum'), '')}<code>${data.sha256}</code></p>
</footer>
</main>
</body>
</html>
`
}
