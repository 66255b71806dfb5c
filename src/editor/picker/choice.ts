/** A chosen device: under one base unit, or under whichever it is. */
export interface Chosen {
  serial: string
  base?: string
}

export interface Choice {
  /** Whether a device is chosen, by serial alone or under this base unit. */
  has(device: Chosen): boolean
  add(device: Chosen): void
  /** @param beside devices of the same serial under other base units: where all were meant they stay */
  remove(device: Chosen, beside?: readonly Chosen[]): void
  /** In the order they were chosen. */
  list(): Chosen[]
}

/** What is chosen, kept while it is being edited; each device once. */
export function createChoice(saved: readonly Chosen[]): Choice {
  const bySerial = new Map<string, Chosen[]>()
  const of = (serial: string) => bySerial.get(serial) ?? []
  const meets = (one: Chosen, other: Chosen) =>
    one.base === undefined || other.base === undefined || one.base === other.base

  const choice: Choice = {
    has: (device) => of(device.serial).some((one) => meets(one, device)),
    add(device) {
      if (!choice.has(device)) bySerial.set(device.serial, [...of(device.serial), device])
    },
    remove(device, beside = []) {
      const others = beside.filter((one) => !meets(one, device) && choice.has(one))
      const left = of(device.serial).filter((one) => !meets(one, device))
      if (left.length > 0) bySerial.set(device.serial, left)
      else bySerial.delete(device.serial)
      for (const one of others) choice.add(one)
    },
    list: () => [...bySerial.values()].flat(),
  }
  for (const { serial, base } of saved) choice.add(base ? { serial, base } : { serial })
  return choice
}
