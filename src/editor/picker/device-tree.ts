import type { ListedDevice } from '../../shared/admin'
import { translate } from '../red'
import { type Chosen, idOf, isDevice } from './choice'

/**
 * The items to choose: `devices` (single devices, or base units with all their devices), `bases` (base units and
 * standalone devices), `groups`, or `exclude` (devices to be excluded).
 */
export type Kind = 'devices' | 'bases' | 'groups' | 'exclude'

/** A device in the tree, or a chosen item that is not in the list. */
export interface Leaf {
  /** The item that its checkbox chooses. If it is absent, there is no checkbox. */
  chooses?: Chosen
  device?: ListedDevice
}

export interface Branch {
  /** `unlisted`: chosen, but not in the list; `chosen`: chosen, and there is no list. */
  kind: 'base' | 'group' | 'standalone' | 'unlisted' | 'chosen'
  name: string
  /** Only for a base unit. */
  serial?: string
  /** The base unit or group that its own checkbox chooses. If it is absent, the checkbox chooses all leaves. */
  chooses?: Chosen
  leaves: Leaf[]
}

/**
 * Builds the tree: base units with their remote units, then standalone devices; or groups. Items that are chosen but
 * not listed come last. Everything is sorted by name.
 * @param devices `undefined` if the devices of the account are unknown
 */
export function treeOf(
  kind: Kind,
  devices: readonly ListedDevice[] | undefined,
  chosen: readonly Chosen[],
): Branch[] {
  const branches = new Map<string, Branch>()
  for (const device of devices ?? []) {
    if (kind === 'groups' && !device.group) continue
    const created = branchFor(kind, device)
    const key = `${created.kind} ${created.serial ?? created.name}`
    const branch = branches.get(key) ?? created
    branches.set(key, branch)
    branch.leaves.push(leafOf(kind, device))
  }
  for (const { leaves } of branches.values()) leaves.sort(byName)
  const unlisted = findUnlisted(devices ?? [], chosen).map((chooses) => ({ chooses }))
  if (unlisted.length > 0)
    branches.set('', { kind: devices ? 'unlisted' : 'chosen', name: '', leaves: unlisted })
  return [...branches.values()].sort((a, b) => rank(a) - rank(b) || byName(a, b))
}

const LAST: readonly Branch['kind'][] = ['standalone', 'unlisted']

/** Standalone devices come after base units and groups, and unlisted items last. */
const rank = ({ kind }: Branch) => LAST.indexOf(kind)

/** Creates an empty branch for a device. */
function branchFor(kind: Kind, { base, group, standalone }: ListedDevice): Branch {
  if (kind === 'groups' && group)
    return { kind: 'group', name: group.name, chooses: { group: group.name }, leaves: [] }
  if (standalone) return { kind: 'standalone', name: '', leaves: [] }
  const branch: Branch = { kind: 'base', serial: base.serial, name: base.name, leaves: [] }
  return kind === 'exclude' ? branch : { ...branch, chooses: { unit: base.serial } }
}

function leafOf(kind: Kind, device: ListedDevice): Leaf {
  const { serial, base, standalone } = device
  if (kind === 'devices') return { device, chooses: { serial, base: base.serial } }
  if (kind === 'exclude') return { device, chooses: { serial } }
  return kind === 'bases' && standalone ? { device, chooses: { unit: serial } } : { device }
}

/** The chosen items that match no device of the account. */
export function findUnlisted(devices: readonly ListedDevice[], chosen: readonly Chosen[]): Chosen[] {
  const listed = new Set(devices.flatMap(keysOf))
  return chosen.filter((item) => !listed.has(keyOf(item)))
}

/** Typed items, in which the serial number of a base unit stands for the base unit with all its devices. */
export function withBaseUnits(devices: readonly ListedDevice[], typed: readonly Chosen[]): Chosen[] {
  const bases = new Set(devices.map(({ base }) => base.serial))
  const unlisted = new Set(findUnlisted(devices, typed))
  const isBase = (item: Chosen) =>
    isDevice(item) && !item.base && unlisted.has(item) && bases.has(item.serial)
  return typed.map((item) => (isBase(item) ? { unit: idOf(item) } : item))
}

/** The devices that chosen items are or include. Thousands may be chosen. */
export function findIncluded(
  devices: readonly ListedDevice[],
  chosen: readonly Chosen[],
): readonly ListedDevice[] {
  const keys = new Set(chosen.map(keyOf))
  return devices.filter((device) => keysOf(device).some((key) => keys.has(key)))
}

/** Whether a chosen item is this device or includes it. */
export function includes(chosen: Chosen, device: ListedDevice): boolean {
  return keysOf(device).includes(keyOf(chosen))
}

function keyOf(chosen: Chosen): string {
  if (!isDevice(chosen)) return JSON.stringify(chosen)
  return JSON.stringify(chosen.base ? [chosen.serial, chosen.base] : [chosen.serial])
}

/** The keys of all items that are a device or include it. */
function keysOf({ serial, base, group }: ListedDevice): string[] {
  const items: Chosen[] = [{ serial }, { serial, base: base.serial }, { unit: base.serial }]
  return [...items, ...(group ? [{ group: group.name }] : [])].map(keyOf)
}

type Named = Partial<Pick<Branch, 'name' | 'serial'> & Pick<Leaf, 'device'>>

/** Compares names in natural order: *Freezer 2* before *Freezer 10*. */
function byName(a: Named, b: Named): number {
  const nameOf = ({ name, device, serial = '' }: Named) => name || device?.name || device?.serial || serial
  return nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true })
}

/**
 * Whether a search finds an item. Each word must occur in the name, serial, model, group or quantities of the device,
 * or in the name of its base unit or group.
 */
export function isFound(search: string, branch: Branch, { device, chooses }: Leaf): boolean {
  const quantities = device?.channels.flatMap(({ quantity }) =>
    quantity === null ? [] : [quantity, translate(`quantity.${quantity}`)],
  )
  const about = device
    ? [device.serial, device.name, device.model, device.group?.name, ...(quantities ?? [])]
    : Object.values(chooses ?? {})
  const text = [...about, branch.name, branch.serial].join('\n').toLocaleLowerCase()
  const words = search.toLocaleLowerCase().split(/\s+/)
  return words.every((word) => text.includes(word))
}
