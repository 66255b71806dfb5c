/** A chosen device, under one base unit or, without `base`, under each base unit that has the serial. */
export interface ChosenDevice {
  serial: string
  base?: string
}

/** A chosen item: a device, a base unit with all its devices, or a group with all its devices. */
export type Chosen = ChosenDevice | { unit: string } | { group: string }

export const isDevice = (chosen: Chosen): chosen is ChosenDevice => 'serial' in chosen

/** Text that identifies an item: a serial, `base/serial`, or a group's name. */
export function idOf(chosen: Chosen): string {
  if (!isDevice(chosen)) return 'unit' in chosen ? chosen.unit : chosen.group
  return chosen.base ? `${chosen.base}/${chosen.serial}` : chosen.serial
}

/** The choice while it is being edited. It contains each item once, in the order of choosing. */
export class Choice {
  #items: Chosen[] = []

  constructor(saved: readonly Chosen[]) {
    for (const item of saved) this.add(item)
  }

  get items(): readonly Chosen[] {
    return this.#items
  }

  /** Whether an item is chosen. A device may be chosen by serial only, or under its base unit. */
  has(item: Chosen): boolean {
    return this.#items.some((chosen) => matches(chosen, item))
  }

  add(item: Chosen): void {
    if (!this.has(item)) this.#items.push(item)
  }

  /**
   * @param listed devices of the account. If a device was chosen by serial only, other devices with the serial stay
   * chosen
   */
  remove(item: Chosen, listed: readonly ChosenDevice[] = []): void {
    const others = listed.filter(
      (device) => isDevice(item) && device.serial === item.serial && device.base !== item.base,
    )
    const kept = others.filter((device) => this.has(device))
    this.#items = this.#items.filter((chosen) => !matches(chosen, item))
    for (const device of kept) this.add(device)
  }
}

function matches(a: Chosen, b: Chosen): boolean {
  if ('unit' in a) return 'unit' in b && a.unit === b.unit
  if ('group' in a) return 'group' in b && a.group === b.group
  const isSameSerial = isDevice(b) && a.serial === b.serial
  return isSameSerial && (!a.base || !b.base || a.base === b.base)
}
