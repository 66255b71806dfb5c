import { Html } from './html'

/** The style of printed pages, on A4 and Letter. */
export const printStyle = new Html(`@media print {
  @page {
    margin: 16mm 12mm 15mm;
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
  .missing li, tr, .channel, .signature, .excursions tbody { break-inside: avoid }
  table { font-size: 8.5pt }
  thead th { font-size: 8pt }
  th, td { padding: 3px 5px }
  .badge { font-size: 7.5pt; line-height: 13px; padding: 0 6px }
  .devices { grid-template-columns: 1fr 1fr; gap: 10px }
  .single { grid-template-columns: 1fr }
  .device { padding: 7px 10px 8px; break-inside: avoid }
  .cut { break-inside: auto; box-decoration-break: clone; -webkit-box-decoration-break: clone }
  .continued { display: inline; color: var(--soft); font-weight: 400 }
  .figures { font-size: 8pt; line-height: 1.35; margin: 2px 0 5px }
  .plot { height: 62px }
  .chart { padding-bottom: 15px }
  .channel { padding-top: 4px }
  .channel + .channel { margin-top: 6px }
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
