/** A chosen device, under one base unit or, without `base`, under each base unit that has the serial. */
export interface ChosenDevice {
  serial: string
  base?: string
}

/** A chosen item: a device, a base unit with all its devices, or a group with all its devices. */
export type Chosen = ChosenDevice | { unit: string } | { group: string }

export const isDevice = (chosen: Chosen): chosen is ChosenDevice => 'serial' in chosen

/** Chosen items as nodes save them. */
export const toSaved = (items: readonly Chosen[]) => ({
  devices: items.filter(isDevice),
  bases: items.flatMap((item) => ('unit' in item ? item.unit : [])),
  groups: items.flatMap((item) => ('group' in item ? item.group : [])),
})

/** Text that identifies an item: a serial, `base/serial`, or a group's name. */
export function idOf(chosen: Chosen): string {
  if (!isDevice(chosen)) return 'unit' in chosen ? chosen.unit : chosen.group
  return chosen.base ? `${chosen.base}/${chosen.serial}` : chosen.serial
}

/** The choice while it is being edited. It contains each item once, in the order of choosing. */
export class Choice {
  readonly #items = new Set<Chosen>()
  /** The items by what `matches` compares first, because an account may have thousands of devices. */
  readonly #similar = new Map<string, readonly Chosen[]>()

  constructor(saved: readonly Chosen[]) {
    for (const item of saved) this.add(item)
  }

  get items(): readonly Chosen[] {
    return [...this.#items]
  }

  /** Whether an item is chosen. A device may be chosen by serial only, or under its base unit. */
  has(item: Chosen): boolean {
    return this.#similarTo(item).some((chosen) => matches(chosen, item))
  }

  add(item: Chosen): void {
    if (this.has(item)) return
    this.#items.add(item)
    this.#similar.set(comparedOf(item), [...this.#similarTo(item), item])
  }

  /** @param listed if a device was chosen by serial only, those of these devices with another base unit stay chosen */
  remove(item: Chosen, listed: readonly Chosen[] = []): void {
    const removed = this.#similarTo(item).filter((chosen) => matches(chosen, item))
    const isBySerial = removed.some((chosen) => isDevice(chosen) && !chosen.base)
    const kept = isBySerial ? listed.filter((other) => isUnderOtherBase(other, item) && this.has(other)) : []
    for (const chosen of removed) this.#items.delete(chosen)
    const others = this.#similarTo(item).filter((chosen) => !removed.includes(chosen))
    this.#similar.set(comparedOf(item), others)
    for (const other of kept) this.add(other)
  }

  #similarTo(item: Chosen): readonly Chosen[] {
    return this.#similar.get(comparedOf(item)) ?? []
  }
}

const comparedOf = (item: Chosen) => (isDevice(item) ? item.serial : JSON.stringify(item))

function isUnderOtherBase(a: Chosen, b: Chosen): boolean {
  return isDevice(a) && isDevice(b) && a.serial === b.serial && a.base !== b.base
}

/** Whether two items are the same, or a device and its serial without a base unit. */
export function matches(a: Chosen, b: Chosen): boolean {
  if (!isDevice(a)) return !isDevice(b) && JSON.stringify(a) === JSON.stringify(b)
  const isSameSerial = isDevice(b) && a.serial === b.serial
  return isSameSerial && (!a.base || !b.base || a.base === b.base)
}
