/**
 * Takes the pictures of a daily report for the README of the examples, in each language: the report of a day on which
 * much went wrong.
 *
 *     npm run build && npx tsx scripts/report-pictures.ts
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../simulator'
import { demoFleet } from '../simulator/fleet/demo'
import { launchChromium } from '../test/support/editor/chromium'
import type { Language } from '../test/support/editor/page'
import { importExample } from '../test/support/examples'
import { limitsOf } from '../test/support/no-limits'
import { type FlowNode, startNodeRed } from '../test/support/node-red'
import { root } from '../test/support/package'
import { firstRuntime } from '../test/support/runtimes'
import { until } from '../test/support/wait'
import { toDataUrl, toWebp } from './webp'

/** Half past midnight in Japan. */
const NOW = Date.UTC(2026, 10, 19, 15, 30)
/** Midnight of the day of the report, in Unix seconds. */
const MIDNIGHT = Date.UTC(2026, 10, 18, 15) / 1000
const HOUR = 3600
const SIZE = { width: 760, height: 1040 }
const DEVICES = ['52A10001', '52A10002', '52C10009', '31D10012', '52A10099'].map((serial) => ({ serial }))
const LIMITS = [
  { select: 'list', devices: [{ serial: '52A10001' }], above: -15, below: -30, minutes: 10, margin: 1 },
  { select: 'list', devices: [{ serial: '52A10002' }], above: 8, below: 2, minutes: 30 },
  { above: 30, below: 15, minutes: 10, margin: 1 },
  { quantity: 'humidity', above: 70, minutes: 30, margin: 2 },
]

/** A freezer with an open door and a probe that is not connected, and a refrigerator with an outage of three hours. */
function fleetOfBadDay(simulator?: Simulator): DeviceDefinition[] {
  const door = { kind: 'door', from: MIDNIGHT + 9 * HOUR, until: MIDNIGHT + 10.2 * HOUR } as const
  const outage = [MIDNIGHT + 5 * HOUR, MIDNIGHT + 8 * HOUR] as const
  return demoFleet(NOW).map((device) => {
    if (device.serial === '52A10001')
      return { ...device, zone: { timeDiff: 540 }, records: { interval: 60 }, events: [door] }
    if (device.serial !== '52A10002') return device
    const kept = simulator?.truth.records(device.serial, undefined, (MIDNIGHT - HOUR) * 1000, NOW) ?? []
    const records = kept
      .map(({ time, values }) => ({ unixtime: time / 1000, values }))
      .filter(({ unixtime }) => unixtime < outage[0] || unixtime >= outage[1])
    return { ...device, zone: { timeDiff: 540 }, ...(simulator && { records }) }
  })
}

async function main(): Promise<void> {
  const browser = await launchChromium()
  try {
    for (const language of ['en-US', 'ja'] as const) await takePicture(browser, language)
  } finally {
    await browser.close()
  }
}

async function takePicture(browser: Browser, language: Language): Promise<void> {
  const simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: fleetOfBadDay() })
  simulator.set({ fleet: fleetOfBadDay(simulator) })
  const nodeRed = await startNodeRed({ ...firstRuntime, lang: language }, { now: NOW })
  try {
    const flow = importExample('Files and reports/daily report').map((node) =>
      filled(node, simulator, language),
    )
    await nodeRed.deploy(flow)
    const button = flow.find(({ type }) => type === 'inject') as FlowNode
    await nodeRed.inject(button.id)
    const page = await until('the page is written', () => findPage(nodeRed.userDir), 60_000)
    await shoot(browser, page, join(root, 'docs', 'images', `report.${language}.webp`))
  } finally {
    await nodeRed.stop()
    await simulator.close()
  }
}

function findPage(userDir: string): string | undefined {
  const folder = join(userDir, 'reports')
  const name = existsSync(folder) ? readdirSync(folder).find((file) => file.endsWith('.html')) : undefined
  const file = name && join(folder, name)
  return file && readFileSync(file, 'utf8').includes('</html>') ? file : undefined
}

function filled(node: FlowNode, simulator: Simulator, language: Language): FlowNode {
  const { apiKey, loginId, loginPass } = simulator.account
  const credentials = { apiKey, loginId, loginPass }
  if (node.type === 'envlog-account')
    return { ...node, name: 'Plant A', baseUrl: simulator.url, limits: limitsOf(simulator), credentials }
  if (node.type === 'envlog-limits') return { ...node, limits: LIMITS }
  return node.type === 'envlog-report' ? { ...node, devices: DEVICES, every: '', language } : node
}

/** The beginning of the page, and its charts beside that. */
async function shoot(browser: Browser, file: string, path: string): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE })
  await page.goto(pathToFileURL(file).href)
  const charts = await page.locator('.legend').evaluate((legend) => legend.getBoundingClientRect().top - 60)
  const pictures: Buffer[] = []
  for (const y of [0, charts])
    pictures.push(await page.screenshot({ fullPage: true, clip: { x: 0, y, ...SIZE } }))
  const frame = 'width: 49.5%; box-sizing: border-box; border: 1px solid #98a2b3; border-radius: 6px'
  const images = pictures.map((picture) => `<img style="${frame}" src="${toDataUrl(picture)}">`)
  await page.setViewportSize({ width: 1440, height: 980 })
  await page.setContent(
    `<body style="margin: 0"><div style="display: flex; justify-content: space-between">${images.join('')}</div></body>`,
  )
  writeFileSync(path, await toWebp(page, await page.locator('div').screenshot()))
  await page.close()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
