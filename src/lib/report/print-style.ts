import { Html } from './html'

/** The style of printed pages, on A4 and Letter. */
export const printStyle = new Html(`@media print {
  @page {
    margin: 15mm 12mm 13mm;
    @top-left { font: 8pt system-ui, sans-serif; color: #5b6577 }
    @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #5b6577 }
  }
  body { max-width: none; padding: 0; font-size: 9.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  a { text-decoration: none }
  h1 { font-size: 20pt }
  h2 { margin: 16pt 0 6pt; font-size: 13pt }
  h2, .group, .title, .label, .legend { break-after: avoid }
  .verdict { font-size: 12pt; margin: 10pt 0 }
  .facts { grid-template-columns: 1fr 1fr }
  .facts div { grid-template-columns: 28mm 1fr }
  .missing li { grid-template-columns: minmax(26mm, 40mm) 1fr }
  .missing li, tr, .channel, .signature, footer, .excursions tbody { break-inside: avoid }
  table { font-size: 8.5pt }
  thead th { font-size: 8pt }
  th, td { padding: 3px 5px }
  .badge { font-size: 7.5pt; line-height: 13px; padding: 0 6px }
  .devices { grid-template-columns: 1fr 1fr; gap: 8px }
  .single { grid-template-columns: 1fr }
  .device { padding: 5px 10px 6px; break-inside: avoid }
  .cut { break-inside: auto; box-decoration-break: clone; -webkit-box-decoration-break: clone }
  .continued { display: inline; color: var(--soft); font-weight: 400 }
  .figures { gap: 0 12px; margin: 1px 0 4px; font-size: 7.5pt; line-height: 1.3 }
  .plot { height: 54px }
  .chart { padding-bottom: 14px }
  .channel { padding-top: 4px }
  .channel + .channel { margin-top: 4px }
  .title { font-size: 10.5pt }
  .label { font-size: 9pt }
  .single .plot { height: 150px }
  .cause { display: table-row; color: var(--soft) }
  .cause td { height: 34px; padding-left: 0; border-bottom: 1px solid var(--line) }
  .excursions tbody tr:not(:last-child) > * { border: 0 }
  .signature { display: block }
  .signature p { display: grid; grid-template-columns: 1fr 1fr; gap: 10mm 8mm; padding-top: 8mm }
  .signature span { border-top: 1px solid var(--ink); padding-top: 2px; font-size: 8pt; color: var(--soft) }
  .signature span:last-child { grid-column: 1 / -1 }
}`)
