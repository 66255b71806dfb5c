/** Temporary events of a device, as pure functions of time: an open door, silence, an empty battery. */
import type { EventDefinition } from './definition'

/** Default code of an event. */
export const emptyBattery = 2
/** Final rise of a value because of an open door. */
const rise = 15
/** Time constants in seconds: 63 % of the change. */
const warming = 60
const cooling = 30
/** Seconds until the rise is no longer measurable. */
export const recovery = 6 * cooling

type Events = readonly EventDefinition[]

const hasStarted = (event: EventDefinition, time: number) => event.from <= time
export const isInProgress = (event: EventDefinition, time: number) =>
  hasStarted(event, time) && time < (event.until ?? Infinity)

/** The rise that open doors add to a channel's value. */
export function riseAt(events: Events, channel: number, time: number): number {
  const doors = events.filter((event) => event.kind === 'door' && (event.channel ?? 1) === channel)
  return doors.filter((door) => hasStarted(door, time)).reduce((sum, door) => sum + riseOf(door, time), 0)
}

function riseOf({ from, until = Infinity }: EventDefinition, time: number): number {
  const reached = rise * (1 - Math.exp(-(Math.min(time, until) - from) / warming))
  return time <= until ? reached : reached * Math.exp(-(time - until) / cooling)
}

/**
 * The time of the newest data that the service has: now, or when the device went silent. It sends the measurements from
 * that time later.
 */
export function receivedUntilAt(events: Events, now: number): number {
  const silent = events.filter((event) => event.kind === 'silence' && isInProgress(event, now))
  return Math.min(now, ...silent.map(({ from }) => from))
}

export function batteryAt(events: Events, battery: number, now: number): number {
  const event = events.find((each) => each.kind === 'battery' && isInProgress(each, now))
  return event ? (event.code ?? emptyBattery) : battery
}
