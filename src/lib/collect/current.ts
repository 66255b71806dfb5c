import type { CurrentParams } from '../api/endpoints'
import type { Unreadable } from '../api/fields'
import { EnvlogError } from '../errors'
import { gently } from '../pace'
import type { Asker } from '../quota/asker'
import { type Reading, stepsOfCurrent } from '../readings/current'
import type { TimeStyle } from '../readings/time'
import { type DeviceFailure, type NamedDevice, type Selection, unknownDevice } from './devices'
import type { AccountAccess, Collected, Form } from './fetch'
import type { NodeMemory } from './node-state'

export interface CurrentWish {
  selection: Selection
  exclude: readonly string[]
  time: TimeStyle
  staleAfter: number | null
  form: Form
  /** Where the devices are named, for what is wrong with them. */
  property: string
}

/**
 * The newest reading of each selected device, one request (endpoint 1); nothing where no device is left to ask.
 * @throws EnvlogError
 */
export async function collectCurrent(
  account: AccountAccess,
  wish: CurrentWish,
  asker: Asker,
): Promise<Collected | undefined> {
  const params = currentParams(wish)
  if (!params) return undefined
  if (wish.form !== 'read') {
    const answer = await account.client.readRaw('current', params, asker)
    return { answer, content: { kind: 'raw', payload: answer.body }, group: '' }
  }
  const answer = await account.client.read('current', params, asker)
  if (wish.selection === 'all') account.directory.learn(answer)
  const { time, staleAfter } = wish
  const { receivedAt } = answer
  const failed: DeviceFailure[] = []
  const unreadable = ({ serial, part }: Pick<Unreadable, 'serial' | 'part'>) => {
    if (wish.exclude.includes(serial)) return
    const cause = { endpoint: answer.endpoint, serial }
    failed.push({ device: { serial }, error: new EnvlogError('reply-left-out', { part }, cause) })
  }
  const options = { receivedAt, time, staleAfter, series1Models: account.series1Models }
  const all = await gently(stepsOfCurrent(answer.body, options, unreadable), asker.signal)
  const readings = all.filter((reading) => isWanted(reading, wish))
  const told = new Set(failed.map(({ device }) => device.serial))
  failed.push(...missingIn(all, wish).filter(({ device }) => !told.has(device.serial)))
  return { answer, content: { kind: 'current', readings }, group: '', failed }
}

/** Chosen devices that the service left out: the account does not have them. */
function missingIn(readings: readonly Reading[], { selection, exclude }: CurrentWish): DeviceFailure[] {
  if (selection === 'all') return []
  const devices = selection.devices.filter(
    (device) => !exclude.includes(device.serial) && !readings.some((reading) => isOf(device, reading)),
  )
  const bases = selection.bases.filter((base) => !readings.some((reading) => reading.base.serial === base))
  return [
    ...devices.map(({ serial, base }) => unknownDevice(serial, base)),
    ...bases.map((base) => unknownDevice(base, base)),
  ]
}

const isOf = ({ serial, base }: NamedDevice, reading: Reading) =>
  serial === reading.serial && (base === undefined || base === reading.base.serial)

function currentParams({ selection, exclude, property }: CurrentWish): CurrentParams | undefined {
  if (selection === 'all') return {}
  const { devices, bases } = selection
  if (devices.length > 0 && bases.length > 0) throw new EnvlogError('devices-mixed', { property })
  if (bases.length > 0) return { 'base-serial': [...new Set(bases)] }
  const serials = new Set(devices.map(({ serial }) => serial))
  for (const serial of exclude) serials.delete(serial)
  return serials.size > 0 ? { 'remote-serial': [...serials] } : undefined
}

/** The service filters by serial alone; one serial may stand under two base units (field notes, *Serial*). */
function isWanted(reading: Reading, { selection, exclude }: CurrentWish): boolean {
  if (exclude.includes(reading.serial)) return false
  if (selection === 'all' || selection.devices.length === 0) return true
  return selection.devices.some((device) => isOf(device, reading))
}

/**
 * The readings whose measurement time or `stale` changed since they were last sent (docs/collecting.md, *Current
 * readings*). Call `remember` once they are sent.
 */
export function changedReadings(
  readings: readonly Reading[],
  memory: NodeMemory,
): { changed: Reading[]; remember(): void } {
  const changed = readings.filter((reading) => memory.mark(keyOf(reading)) !== markOf(reading))
  return {
    changed,
    remember: () => memory.setMarks(changed.map((reading) => [keyOf(reading), markOf(reading)])),
  }
}

const keyOf = ({ serial, base }: Reading) => `${base.serial}/${serial}`
const markOf = ({ timestamp, stale }: Reading) => `${timestamp} ${stale}`
