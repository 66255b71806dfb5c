/** A Chromium for Playwright: `CHROMIUM`, an installed one, or Debian's headless shell, which is the lightest. */
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { canRun, findOrInstall, installPackageOf } from '../servers'

const CHROMIUMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  join(process.env.ProgramFiles ?? '', 'Google/Chrome/Application/chrome.exe'),
]

/** No update requests; no sandbox, because it does not work for root. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function findChromium(): string | undefined {
  const { CHROMIUM } = process.env
  if (CHROMIUM && !canRun(CHROMIUM)) throw new Error(`CHROMIUM is ${CHROMIUM}, which cannot be run.`)
  return CHROMIUM || CHROMIUMS.find(canRun)
}

/** @throws Error that says what to install */
export const installChromium = () =>
  installPackageOf('chromium-headless-shell', () => findChromium() !== undefined)

/** @throws Error that says what to install */
export async function launchChromium(): Promise<Browser> {
  await installChromium()
  const executablePath = findChromium() ?? (await findOrInstall('chromium-headless-shell'))
  return chromium.launch({ executablePath, args: ARGUMENTS })
}
