import {
  type DeliveryEffect,
  type DeliveryEvent,
  type DeliveryState,
  transition,
} from '../../../src/lib/collect/delivery'

/** A device whose backfill and retained delivery are words. */
export type TestDeliveryState = DeliveryState<string, string>
export type TestDeliveryEvent = DeliveryEvent<string, string>

/** What becomes of it, and what was to be done after each. */
export function applyEvents(
  machine: TestDeliveryState,
  ...events: readonly TestDeliveryEvent[]
): { machine: TestDeliveryState; effects: DeliveryEffect[] } {
  const effects: DeliveryEffect[] = []
  let now = machine
  for (const event of events) {
    const [next, effect] = transition(now, event)
    now = next
    effects.push(effect)
  }
  return { machine: now, effects }
}
