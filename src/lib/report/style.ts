import { Html } from './html'

/** The style of pages on screens, light and dark. */
export const style = new Html(`:root {
  color-scheme: light;
  --ground: #fff;
  --ink: #1d2939;
  --soft: #5b6577;
  --line: #d0d5dd;
  --faint: #eaecf0;
  --blue: #175cd3;
  --band: #b2ccf0;
  --red: #b42318;
  --on-red: #fff;
  --amber: #8a4f08;
  --green: #067647;
  --good: #ecfdf3;
  --warning: #fffaeb;
  --bad: #fef3f2;
  --good-line: #abefc6;
  --warning-line: #f5c46b;
  --outside: #fbd5d1;
  --gap: #e4e7ec;
  --hatch: #fef0c7;
  --hatch-line: #dc9a2b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --ground: #14181f;
    --ink: #e6e9ee;
    --soft: #a3adbd;
    --line: #465063;
    --faint: #2a313d;
    --blue: #7db1ff;
    --band: #2f527f;
    --red: #ff9d91;
    --on-red: #40100b;
    --amber: #f4c063;
    --green: #6ddba2;
    --good: #0f2a1f;
    --warning: #2b2210;
    --bad: #331512;
    --good-line: #2c6b4d;
    --warning-line: #7a5a1d;
    --outside: #5a2722;
    --gap: #343c4a;
    --hatch: #4a3a14;
    --hatch-line: #b98222;
  }
}
* { box-sizing: border-box }
body {
  margin: 0 auto;
  max-width: 1180px;
  padding: 28px 24px 40px;
  background: var(--ground);
  color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Hiragino Sans", "Yu Gothic UI", "Noto Sans CJK JP", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, h5 { margin: 0; line-height: 1.3 }
h1 { font-size: 28px; line-height: 1.2; letter-spacing: -0.01em }
h2 { margin: 36px 0 10px; font-size: 18px }
.group { margin: 22px 0 8px; font-size: 14px; color: var(--soft) }
.title { font-size: 16px }
.label { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; font-size: 14px }
.badges { margin-left: auto }
p, dl, dd, ul, figure { margin: 0; padding: 0 }
ul { list-style: none }
a { color: inherit; text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: 3px }
a:hover { text-decoration-color: currentColor }
.date { margin-top: 4px; font-size: 17px; color: var(--soft) }
.verdict {
  display: flex;
  gap: 12px;
  align-items: center;
  margin: 20px 0;
  padding: 14px 16px;
  border: 1px solid;
  border-left-width: 6px;
  border-radius: 8px;
  font-size: 18px;
  font-weight: 600;
  line-height: 1.35;
  text-wrap: balance;
}
.mark {
  flex: none;
  display: grid;
  place-items: center;
  width: 28px;
  height: 28px;
  border: 2px solid;
  border-radius: 50%;
  font-size: 16px;
  line-height: 1;
}
.good { color: var(--green); background: var(--good) }
.warning { color: var(--amber); background: var(--warning) }
.bad { color: var(--red); background: var(--bad) }
.facts { display: grid; grid-template-columns: repeat(2, 1fr); gap: 3px 32px }
.facts div { display: grid; grid-template-columns: 150px 1fr; gap: 12px }
dt, .sub, .figures span, .legend, footer { color: var(--soft) }
.sub { font-size: 12px; font-weight: 400 }
.missing { border: 1px solid var(--warning-line); border-left-width: 6px; border-radius: 8px; padding: 4px 16px }
.missing li { padding: 6px 0; display: grid; grid-template-columns: minmax(120px, 260px) 1fr; gap: 0 16px }
.missing li + li { border-top: 1px solid var(--faint) }
.missing span span { display: block }
.missing + .sub { margin-top: 6px }
table { width: 100%; border-collapse: collapse; font-size: 14px }
thead th {
  padding-top: 4px;
  font-size: 12px;
  color: var(--soft);
  border-bottom: 2px solid var(--line);
  vertical-align: bottom;
  overflow-wrap: normal;
  word-break: keep-all;
}
th, td { padding: 5px 10px; text-align: left; font-weight: 400; vertical-align: top; border-bottom: 1px solid var(--faint) }
thead th, tbody th { font-weight: 600 }
td, tbody th { overflow-wrap: break-word }
.long { display: inline-block; min-width: 8em; overflow-wrap: anywhere }
.time { white-space: nowrap }
th:first-child { padding-left: 0 }
th:last-child, td:last-child { padding-right: 0 }
.n { text-align: right; white-space: nowrap }
.reading { font-weight: 600 }
.broken, .limits { min-width: 10em; overflow-wrap: anywhere }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.badge {
  display: inline-block;
  padding: 1px 9px;
  border: 1px solid;
  border-radius: 10px;
  font-size: 12px;
  font-weight: 600;
  line-height: 18px;
  white-space: nowrap;
}
.badge.good { border-color: var(--good-line) }
.badge.warning { border-color: var(--warning-line) }
.badge.bad { color: var(--on-red); background: var(--red); border-color: var(--red) }
.badge.none { color: var(--soft); border-color: var(--line) }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-bottom: 12px; font-size: 12px }
.legend li { display: flex; align-items: center; gap: 6px }
.legend svg { width: 26px; height: 12px }
.devices { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 16px; align-items: start }
.single { grid-template-columns: 1fr }
.device { border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px 14px }
.channel { padding-top: 8px }
.channel + .channel { margin-top: 12px; border-top: 1px solid var(--faint) }
.figures { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 4px 0 8px; font-size: 13px }
.figures dt, .figures dd { display: inline }
.figures dd { font-weight: 600 }
.figures span { font-weight: 400 }
.chart { padding: 0 36px 18px 38px }
.plot { position: relative; height: 118px; border: solid var(--line); border-width: 0 0 1px 1px }
.single .plot { height: 200px }
.plot svg { display: block; width: 100%; height: 100% }
.plot i { position: absolute; font-style: normal; font-size: 11px; line-height: 1; color: var(--soft); white-space: nowrap }
.y { right: 100%; margin-right: 5px; transform: translateY(-50%) }
.plot .edge { left: 100%; margin-left: 5px; transform: translateY(-50%); color: var(--red); font-weight: 600 }
.x { top: 100%; margin-top: 5px; transform: translateX(-50%) }
path { fill: none; vector-effect: non-scaling-stroke }
.grid { stroke: var(--faint) }
.value { stroke: var(--blue); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round }
.range { fill: var(--band); stroke: var(--band) }
.limit { stroke: var(--red); stroke-width: 1.2; stroke-dasharray: 6 4 }
.dash1 { stroke-dasharray: 2 3 }
.dash2 { stroke-dasharray: 10 3 2 3 }
.outside { fill: var(--outside) }
.bar { fill: var(--red) }
.error { fill: url(#hatch) }
.hatch-ground { fill: var(--hatch) }
.hatch-line { fill: var(--hatch-line) }
.gap { fill: var(--gap) }
.nothing { color: var(--amber); font-size: 13px }
.continued, .signature, .cause { display: none }
footer { margin-top: 32px; padding-top: 12px; border-top: 1px solid var(--line); font-size: 12px }
.checksum { margin-top: 6px }
code { font-size: 11px }
@media screen and (max-width: 900px) {
  .facts { grid-template-columns: 1fr }
  th, td { padding-left: 5px; padding-right: 5px }
  td .badge { white-space: normal }
}
@media screen and (max-width: 700px) {
  body { padding: 18px 14px 28px }
  h1 { font-size: 24px }
  .verdict { font-size: 16px; padding: 12px }
  .facts div { grid-template-columns: 34% 1fr; font-size: 14px }
  .missing { padding: 4px 12px; font-size: 14px }
  .missing li { grid-template-columns: 1fr }
  thead { display: none }
  table, tbody { display: block }
  tr { display: flex; flex-wrap: wrap; gap: 0 14px; align-items: baseline; padding: 7px 0; border-bottom: 1px solid var(--faint) }
  th, td { border: 0; padding: 0; text-align: left }
  tbody th { flex: 1 0 100% }
  .more th { position: absolute }
  .check .time { flex: 1 0 100% }
  td[data-name]::before { content: attr(data-name) " "; color: var(--soft); font-size: 12px; font-weight: 400 }
  .overview td:nth-of-type(1), .check td:nth-of-type(1) { flex: 1 }
  .overview .n, .overview .limits { display: none }
  .device { padding: 10px 12px 12px }
}`)
