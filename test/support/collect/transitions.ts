import {
  type DeliveryEffect,
  type DeliveryEvent,
  type DeliveryState,
  transition,
} from '../../../src/lib/collect/delivery'

/** A device whose backfill and retained delivery are words. */
export type Device = DeliveryState<string, string>
export type Happening = DeliveryEvent<string, string>

/** What becomes of it, and what was to be done after each. */
export function run(
  machine: Device,
  ...happenings: readonly Happening[]
): { machine: Device; effects: DeliveryEffect[] } {
  const effects: DeliveryEffect[] = []
  let now = machine
  for (const event of happenings) {
    const [next, effect] = transition(now, event)
    now = next
    effects.push(effect)
  }
  return { machine: now, effects }
}
