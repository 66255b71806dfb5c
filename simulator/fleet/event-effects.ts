/** Effects of events (an open door, silence, an empty battery, …) as pure functions of time. */
import type { EventDefinition } from './definition'

/** The battery code of an event that defines none. */
export const emptyBattery = 2
/** The rise that a value approaches while a door is open. */
const rise = 15
/** Time constants: seconds until 63 % of the change. */
const warming = 60
const cooling = 30
/** Seconds until the rise is no longer measurable. */
export const recovery = 6 * cooling

type Events = readonly EventDefinition[]

const hasStarted = (event: EventDefinition, time: number) => event.from <= time
export const isInProgress = (event: EventDefinition, time: number) =>
  hasStarted(event, time) && time < (event.until ?? Infinity)

/** The rise that open doors add to the value of a channel. */
export function riseAt(events: Events, channel: number, time: number): number {
  const doors = events.filter((event) => event.kind === 'door' && (event.channel ?? 1) === channel)
  return doors
    .filter((door) => hasStarted(door, time))
    .reduce((sum, door) => sum + riseBecauseOf(door, time), 0)
}

function riseBecauseOf({ from, until = Infinity }: EventDefinition, time: number): number {
  const reached = rise * (1 - Math.exp(-(Math.min(time, until) - from) / warming))
  return time <= until ? reached : reached * Math.exp(-(time - until) / cooling)
}

/** Whether the sensor of a channel is broken. */
export function isBrokenAt(events: Events, channel: number, time: number): boolean {
  return events.some(
    (event) => event.kind === 'sensor' && (event.channel ?? 1) === channel && isInProgress(event, time),
  )
}

/**
 * The time of the newest data that the service has received: now, or when the device became silent. When the silence
 * ends, the device sends the data of that time.
 */
export function receivedUntilAt(events: Events, now: number): number {
  const silences = events.filter((event) => event.kind === 'silence' && isInProgress(event, now))
  return Math.min(now, ...silences.map(({ from }) => from))
}

export function batteryAt(events: Events, battery: number, now: number): number {
  const event = events.find((candidate) => candidate.kind === 'battery' && isInProgress(candidate, now))
  return event ? (event.code ?? emptyBattery) : battery
}
