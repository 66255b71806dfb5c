import type { ListedDevice } from '../../shared/admin'
import { type Chosen, isDevice } from './choice'

/**
 * What is being chosen: devices and base units with all their devices; only base units; groups; devices to be excluded.
 */
export type Kind = 'devices' | 'bases' | 'groups' | 'exclude'

/** A device in the tree, or a chosen item that is not in the list. */
export interface Leaf {
  /** The item that its checkbox chooses; without it there is no checkbox. */
  chooses?: Chosen
  device?: ListedDevice
}

export interface Branch {
  /** `unlisted`: chosen, but not in the list. */
  kind: 'base' | 'group' | 'standalone' | 'unlisted'
  name: string
  /** For a base unit. */
  serial?: string
  /** What its own checkbox chooses: the base unit or group, all leaves, or nothing. */
  box: Chosen | 'leaves' | 'none'
  leaves: Leaf[]
}

/**
 * Base units with their remote units by name, then standalone devices; or groups; then items that are chosen but not
 * listed.
 */
export function treeOf(kind: Kind, devices: readonly ListedDevice[], chosen: readonly Chosen[]): Branch[] {
  const branches = new Map<string, Branch>()
  for (const device of devices) {
    const fresh = branchFor(kind, device)
    if (!fresh) continue
    const key = `${fresh.kind} ${fresh.serial ?? fresh.name}`
    const branch = branches.get(key) ?? fresh
    branches.set(key, branch)
    branch.leaves.push(leafOf(kind, device))
  }
  for (const { leaves } of branches.values()) leaves.sort(byName)
  const missing = findMissing(kind, devices, chosen)
  if (missing.length > 0) {
    const leaves = missing.map((chooses) => ({ chooses }))
    branches.set('unlisted', { kind: 'unlisted', name: '', box: 'none', leaves })
  }
  return [...branches.values()].sort((one, other) => rank(one) - rank(other) || byName(one, other))
}

const LAST: readonly Branch['kind'][] = ['standalone', 'unlisted']

/** Standalone devices come after base units and groups, unlisted items last. */
const rank = ({ kind }: Branch) => LAST.indexOf(kind)

/** The branch for a device, still empty; none if only groups are shown and it has none. */
function branchFor(kind: Kind, { base, group, standalone }: ListedDevice): Branch | undefined {
  if (kind === 'groups')
    return group === '' ? undefined : { kind: 'group', name: group, box: { group }, leaves: [] }
  if (standalone) return { kind: 'standalone', name: '', box: 'leaves', leaves: [] }
  const box = kind === 'exclude' ? 'leaves' : { unit: base.serial }
  return { kind: 'base', serial: base.serial, name: base.name, box, leaves: [] }
}

function leafOf(kind: Kind, device: ListedDevice): Leaf {
  const { serial, base, standalone } = device
  if (kind === 'devices') return { device, chooses: { serial, base: base.serial } }
  if (kind === 'exclude') return { device, chooses: { serial } }
  return kind === 'bases' && standalone ? { device, chooses: { unit: serial } } : { device }
}

/** The chosen items that match no device of the account. */
export function findMissing(
  kind: Kind,
  devices: readonly ListedDevice[],
  chosen: readonly Chosen[],
): Chosen[] {
  const isListed = (one: Chosen) => devices.some((device) => matches(kind, device, one))
  return chosen.filter((one) => !isListed(one))
}

function matches(kind: Kind, { serial, base, group }: ListedDevice, chosen: Chosen): boolean {
  if (!isDevice(chosen)) return 'unit' in chosen ? base.serial === chosen.unit : group === chosen.group
  const isInBase = kind === 'exclude' || chosen.base === undefined || chosen.base === base.serial
  return serial === chosen.serial && isInBase
}

interface Named {
  name?: string
  serial?: string
  device?: ListedDevice
}

/** Natural order: *Freezer 2* before *Freezer 10*. */
function byName(one: Named, other: Named): number {
  const nameOf = ({ name, device, serial = '' }: Named) => name || device?.name || device?.serial || serial
  return nameOf(one).localeCompare(nameOf(other), undefined, { numeric: true })
}

/**
 * Whether a search finds an item: each word must occur in the name, serial, model, group or quantities of the device,
 * or in the name of its base unit or group.
 * @param inWords a quantity in the user's language
 */
export function isFound(
  search: string,
  branch: Branch,
  { device, chooses }: Leaf,
  inWords: (quantity: string) => string = (quantity) => quantity,
): boolean {
  const quantities = new Set(device?.values.map(({ quantity }) => quantity).filter((one) => one !== null))
  const spelled = [...quantities].flatMap((one) => [one, inWords(one)])
  const about = device
    ? [device.serial, device.name, device.model, device.group, ...spelled]
    : Object.values(chooses ?? {})
  const text = [...about, branch.name, branch.serial].join('\n').toLocaleLowerCase()
  const words = search.toLocaleLowerCase().split(/\s+/)
  return words.every((word) => text.includes(word))
}
