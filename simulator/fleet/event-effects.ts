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

/** Minutes of an event that defines none. */
const defaultMinutes = { batch: 10, late: 2 }

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

/** Measurements after `from` and before `until` that arrive late, at `arrives` (s). */
export interface LateBlock {
  from: number
  until: number
  arrives: number
}

/** What the service has received: all data until a time (s), except that of late blocks that it still awaits. */
export interface Received {
  until: number
  awaited: readonly LateBlock[]
}

export function receivedAt(events: Events, now: number): Received {
  const until = receivedUntilAt(events, now)
  const awaited = lateBlocks(events).filter((block) => block.until <= until && until < block.arrives)
  return { until, awaited }
}

export function isReceived({ until, awaited }: Received, time: number): boolean {
  return time <= until && !awaited.some((block) => isInBlock(block, time))
}

/** The time by which measurements are put in order of arrival (s): their own, unless they are in a late block. */
export function arrivalOf(blocks: readonly LateBlock[], time: number): number {
  return blocks.find((block) => isInBlock(block, time))?.arrives ?? time
}

export function lateBlocks(events: Events): LateBlock[] {
  return events
    .filter(({ kind }) => kind === 'late')
    .map(({ from, until = Infinity, minutes = defaultMinutes.late }) => ({
      from,
      until,
      arrives: until + toSeconds(minutes),
    }))
}

const isInBlock = (block: LateBlock, time: number) => block.from < time && time < block.until
const toSeconds = (minutes: number) => Math.round(minutes * 60)

/**
 * The time of the device's last upload, which contained the data until then. An event that is over by now may have
 * prevented the upload at that time, so the events of that time count too.
 */
function receivedUntilAt(events: Events, now: number): number {
  const uploads = events.filter((event) => isInProgress(event, now)).map((event) => lastUpload(event, now))
  const last = Math.min(now, ...uploads)
  return last === now ? now : receivedUntilAt(events, last)
}

/** The time of the last upload during an event that is in progress. */
function lastUpload({ kind, from, minutes = defaultMinutes.batch }: EventDefinition, now: number): number {
  if (kind === 'silence' || kind === 'late') return from
  return kind === 'batch' ? now - ((now - from) % toSeconds(minutes)) : now
}

export function batteryAt(events: Events, battery: number, now: number): number {
  const event = events.find((candidate) => candidate.kind === 'battery' && isInProgress(candidate, now))
  return event ? (event.code ?? emptyBattery) : battery
}
