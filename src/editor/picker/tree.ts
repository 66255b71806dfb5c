import type { ListedDevice } from '../../shared/admin'
import type { Chosen } from './choice'

/**
 * What is being chosen: devices; remote units alone, where standalone devices cannot be asked for by their
 * serials; base units with all that is under them; devices to be left out.
 */
export type Kind = 'devices' | 'remotes' | 'bases' | 'exclude'

/** A device in the tree, or one that was chosen and is not in the list. */
export interface Leaf extends Chosen {
  device?: ListedDevice
  /** It can be chosen by itself. */
  box: boolean
}

export interface Branch {
  /** `unlisted`: chosen, and not in the list. */
  kind: 'base' | 'standalone' | 'unlisted'
  name: string
  model: string
  /** Of a base unit. */
  serial?: string
  /** What its own box stands for: the base unit, all devices below, or it has none. */
  box: 'self' | 'leaves' | 'none'
  leaves: Leaf[]
}

/** Base units with their remote units by name, then standalone devices, then what is chosen but not listed. */
export function treeOf(kind: Kind, devices: readonly ListedDevice[], chosen: readonly Chosen[]): Branch[] {
  const bases = new Map<string, Branch>()
  const standalone: Branch = { kind: 'standalone', name: '', model: '', box: 'leaves', leaves: [] }
  for (const device of devices) {
    const { serial, base } = device
    const leaf = kind === 'devices' || kind === 'remotes' ? { serial, base: base.serial } : { serial }
    if (device.standalone) {
      if (kind !== 'remotes') standalone.leaves.push({ ...leaf, device, box: true })
      continue
    }
    const branch = bases.get(base.serial) ?? branchOf(kind, base)
    bases.set(base.serial, branch)
    branch.leaves.push({ ...leaf, device, box: kind !== 'bases' })
  }
  const listed = [...bases.values(), standalone]
  const unlisted: Branch = {
    ...{ kind: 'unlisted', name: '', model: '', box: 'none' },
    leaves: chosen.filter((one) => !isListed(kind, listed, one)).map((one) => ({ ...one, box: true })),
  }
  for (const { leaves } of listed) leaves.sort(byName)
  return [...[...bases.values()].sort(byName), standalone, unlisted].filter(({ leaves }) => leaves.length > 0)
}

function branchOf(kind: Kind, { serial, name, model }: ListedDevice['base']): Branch {
  return { kind: 'base', serial, name, model, box: kind === 'bases' ? 'self' : 'leaves', leaves: [] }
}

function isListed(kind: Kind, branches: readonly Branch[], { serial, base }: Chosen): boolean {
  const isMeant = (leaf: Leaf) =>
    leaf.box &&
    leaf.serial === serial &&
    (base === undefined || leaf.base === undefined || leaf.base === base)
  return branches.some(
    (branch) => (kind === 'bases' && branch.serial === serial) || branch.leaves.some(isMeant),
  )
}

interface Named {
  name?: string
  serial?: string
  device?: ListedDevice
}

/** As people count: *Freezer 2* before *Freezer 10*. */
function byName(one: Named, other: Named): number {
  const nameOf = ({ name, device, serial = '' }: Named) => name || device?.name || serial
  return nameOf(one).localeCompare(nameOf(other), undefined, { numeric: true })
}

/** Whether a search finds it: each word in name, serial, model or group of the device, or name of its base unit. */
export function isFound(search: string, branch: Branch, leaf: Leaf): boolean {
  const { device } = leaf
  const text = [leaf.serial, device?.name, device?.model, device?.group, branch.name, branch.serial]
    .join('\n')
    .toLocaleLowerCase()
  const words = search.toLocaleLowerCase().split(/\s+/)
  return words.every((word) => text.includes(word))
}
