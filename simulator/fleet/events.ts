/** What happens to a device for a while, as pure functions of the time: an open door, silence, an empty battery. */
import type { EventDefinition } from './definition'

/** Of an event without a code. */
export const emptyBattery = 2
/** How far an open door lets a value rise in the end. */
const rise = 15
/** Seconds until 63 % of the way are done. */
const warming = 60
const cooling = 30
/** Seconds until nothing is left of the rise that one could measure. */
export const recovery = 6 * cooling

type Events = readonly EventDefinition[]

const begun = (event: EventDefinition, time: number) => event.from <= time
export const lasts = (event: EventDefinition, time: number) =>
  begun(event, time) && time < (event.until ?? Infinity)

/** What open doors add to the value of a channel. */
export function riseAt(events: Events, channel: number, time: number): number {
  const doors = events.filter((event) => event.kind === 'door' && (event.channel ?? 1) === channel)
  return doors.filter((door) => begun(door, time)).reduce((sum, door) => sum + riseOf(door, time), 0)
}

function riseOf({ from, until = Infinity }: EventDefinition, time: number): number {
  const reached = rise * (1 - Math.exp(-(Math.min(time, until) - from) / warming))
  return time <= until ? reached : reached * Math.exp(-(time - until) / cooling)
}

/** The time of the newest data that the service has: now, or when the device went silent. It sends later what it measured meanwhile. */
export function heardAt(events: Events, now: number): number {
  const silent = events.filter((event) => event.kind === 'silence' && lasts(event, now))
  return Math.min(now, ...silent.map(({ from }) => from))
}

export function batteryAt(events: Events, battery: number, now: number): number {
  const event = events.find((each) => each.kind === 'battery' && lasts(each, now))
  return event ? (event.code ?? emptyBattery) : battery
}
