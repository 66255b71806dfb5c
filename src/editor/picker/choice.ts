/** A chosen device: under one base unit or, without `base`, under each base unit that has the serial. */
export interface ChosenDevice {
  serial: string
  base?: string
}

/** What can be chosen: a device, a base unit with all its devices, or a group with all its devices. */
export type Chosen = ChosenDevice | { unit: string } | { group: string }

export const isDevice = (chosen: Chosen): chosen is ChosenDevice => 'serial' in chosen

export interface Choice {
  /** Whether exactly this item is chosen; for a device: by serial only, or under this base unit. */
  has(chosen: Chosen): boolean
  add(chosen: Chosen): void
  /**
   * @param sameSerial devices with the same serial under other base units; they stay chosen if all were chosen by serial
   */
  remove(chosen: Chosen, sameSerial?: readonly ChosenDevice[]): void
  /** In the order chosen, devices with the same serial together. */
  list(): Chosen[]
}

/** The choice while it is being edited; contains each item once. */
export function createChoice(saved: readonly Chosen[]): Choice {
  /** By serial, unit or group; several items if a serial is chosen under several base units. */
  const byName = new Map<string, Chosen[]>()

  const choice: Choice = {
    has: (chosen) => withName(chosen).some((one) => matches(one, chosen)),
    add(chosen) {
      if (!choice.has(chosen)) byName.set(nameOf(chosen), [...withName(chosen), chosen])
    },
    remove(chosen, sameSerial = []) {
      const others = sameSerial.filter((one) => !matches(one, chosen) && choice.has(one))
      const left = withName(chosen).filter((one) => !matches(one, chosen))
      if (left.length > 0) byName.set(nameOf(chosen), left)
      else byName.delete(nameOf(chosen))
      for (const one of others) choice.add(one)
    },
    list: () => [...byName.values()].flat(),
  }
  function withName(chosen: Chosen): Chosen[] {
    return byName.get(nameOf(chosen)) ?? []
  }
  for (const chosen of saved) choice.add(chosen)
  return choice
}

function nameOf(chosen: Chosen): string {
  if (isDevice(chosen)) return `serial ${chosen.serial}`
  return 'unit' in chosen ? `unit ${chosen.unit}` : `group ${chosen.group}`
}

/** Compares two items with the same name. */
function matches(one: Chosen, other: Chosen): boolean {
  if (!isDevice(one) || !isDevice(other)) return true
  return one.base === undefined || other.base === undefined || one.base === other.base
}
