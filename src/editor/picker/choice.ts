/** A chosen device: under one base unit or, without `base`, under each base unit that has the serial. */
export interface ChosenDevice {
  serial: string
  base?: string
}

/** What can be chosen: a device, a base unit with all its devices, or a group with all its devices. */
export type Chosen = ChosenDevice | { unit: string } | { group: string }

export const isDevice = (chosen: Chosen): chosen is ChosenDevice => 'serial' in chosen

/** Text that identifies an item: a serial, `base/serial`, or a group's name. */
export function idOf(chosen: Chosen): string {
  if (!isDevice(chosen)) return 'unit' in chosen ? chosen.unit : chosen.group
  return chosen.base ? `${chosen.base}/${chosen.serial}` : chosen.serial
}

/** The choice while it is being edited: each item once, in the order chosen. */
export class Choice {
  #items: Chosen[] = []

  constructor(saved: readonly Chosen[]) {
    for (const item of saved) this.add(item)
  }

  get items(): readonly Chosen[] {
    return this.#items
  }

  /** Whether an item is chosen; for a device: by serial only, or under this base unit. */
  has(item: Chosen): boolean {
    return this.#items.some((one) => matches(one, item))
  }

  add(item: Chosen): void {
    if (!this.has(item)) this.#items.push(item)
  }

  /** @param listed devices of the account: if the item was chosen by serial only, the others with it stay chosen */
  remove(item: Chosen, listed: readonly ChosenDevice[] = []): void {
    const others = listed.filter(
      (one) => isDevice(item) && one.serial === item.serial && one.base !== item.base,
    )
    const kept = others.filter((one) => this.has(one))
    this.#items = this.#items.filter((one) => !matches(one, item))
    for (const one of kept) this.add(one)
  }
}

function matches(one: Chosen, other: Chosen): boolean {
  if ('unit' in one) return 'unit' in other && one.unit === other.unit
  if ('group' in one) return 'group' in other && one.group === other.group
  const isSameSerial = isDevice(other) && one.serial === other.serial
  return isSameSerial && (!one.base || !other.base || one.base === other.base)
}
