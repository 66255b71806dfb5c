/**
 * The measurements of a channel as a pure function of seed and time: a mean, a daily pattern, slow drift and noise.
 * Occasionally the value rises above the upper limit or the sensor fails, which then appears in the alert log.
 */
import { chance } from '../random'

export interface Signal {
  mean: number
  /** half the difference between the highest and the lowest value of a day */
  daily?: number
  /** hour of the highest value in UTC; default 5 (early afternoon in Japan) */
  peakHour?: number
  /** maximum slow drift over days, up or down */
  wander?: number
  /** maximum random difference of a measurement, up or down */
  noise?: number
  /** seconds between defrost cycles; an eighth of this time after a rise, the value is normal again */
  cycle?: number
  /** rise of the value at the beginning of a defrost cycle */
  swing?: number
  /** digits after the decimal point; default 1 */
  decimals?: number
  min?: number
  max?: number
  /** the upper limit of the alerts */
  upperLimit?: number
  /** probability of an excursion above the limit on a day, 0 to 1 */
  excursions?: number
  /** rise of the value at the peak of an excursion */
  rise?: number
  /** probability that the sensor fails on a day, 0 to 1 */
  failures?: number
}

/** A part of a day in Unix seconds, including both ends. */
export interface Episode {
  start: number
  end: number
}

const day = 86_400

/** Signals for the fleets. */
export const signals = {
  freezer: {
    mean: -18,
    daily: 0.8,
    wander: 0.4,
    noise: 0.5,
    decimals: 1,
    upperLimit: -15,
    excursions: 0.35,
    rise: 7,
    failures: 0.02,
  },
  fridge: {
    mean: 4,
    daily: 0.6,
    wander: 0.4,
    noise: 0.4,
    decimals: 1,
    upperLimit: 8,
    excursions: 0.25,
    rise: 7,
    failures: 0.02,
  },
  room: {
    mean: 22,
    daily: 2.5,
    wander: 1.5,
    noise: 0.2,
    decimals: 1,
    upperLimit: 30,
    excursions: 0.1,
    rise: 11,
  },
  outdoor: { mean: 14, daily: 6, wander: 4, noise: 0.4, decimals: 1 },
  humidity: { mean: 52, daily: -8, wander: 6, noise: 1, decimals: 0, min: 5, max: 99 },
  co2: {
    mean: 620,
    daily: 180,
    wander: 60,
    noise: 25,
    decimals: 0,
    min: 400,
    upperLimit: 1000,
    excursions: 0.3,
    rise: 700,
  },
  light: { mean: 3000, daily: 9000, wander: 1500, noise: 200, decimals: 0, min: 0 },
  ultraviolet: { mean: 0.4, daily: 1.6, wander: 0.3, noise: 0.05, decimals: 2, min: 0 },
} as const satisfies Record<string, Signal>

const excursion = { shortest: 2700, longest: 6300, salt: 11 }
const failure = { shortest: 1200, longest: 2400, salt: 23 }

/** The part of a day (45 to 105 minutes) with an excursion, if the day has one. */
export function excursionOn(signal: Signal, seed: number, dayIndex: number): Episode | undefined {
  return episode(seed, dayIndex, { ...excursion, perDay: signal.excursions ?? 0 })
}

/** The part of a day (20 to 40 minutes) in which the sensor fails, if it fails on that day. */
export function failureOn(signal: Signal, seed: number, dayIndex: number): Episode | undefined {
  return episode(seed, dayIndex, { ...failure, perDay: signal.failures ?? 0 })
}

interface EpisodeKind {
  /** probability of an episode on a day, 0 to 1 */
  perDay: number
  /** seconds */
  shortest: number
  longest: number
  /** distinguishes the kinds */
  salt: number
}

/** An episode on a day. It lies within the day, so that only one day has to be considered for a given time. */
export function episode(
  seed: number,
  dayIndex: number,
  { perDay, shortest, longest, salt }: EpisodeKind,
): Episode | undefined {
  if (perDay === 0 || chance(seed, dayIndex, salt) >= perDay) return undefined
  const length = Math.floor(shortest + chance(seed, dayIndex, salt + 1) * (longest - shortest))
  const start = dayIndex * day + Math.floor(chance(seed, dayIndex, salt + 2) * (day - length - 1))
  return { start, end: start + length }
}

/** The value at a time plus `addition`, or E1 while the sensor fails (docs/service.md, *Fields*). */
export function valueAt(signal: Signal, seed: number, time: number, addition = 0): number | 'E1' {
  const dayIndex = Math.floor(time / day)
  const failure = failureOn(signal, seed, dayIndex)
  if (failure && time >= failure.start && time <= failure.end) return 'E1'
  const value = steadyValue(signal, seed, time) + excursionRise(signal, seed, dayIndex, time) + addition
  const scale = 10 ** (signal.decimals ?? 1)
  const bounded = Math.min(signal.max ?? Infinity, Math.max(signal.min ?? -Infinity, value))
  return Math.round(bounded * scale) / scale + 0
}

function steadyValue(signal: Signal, seed: number, time: number): number {
  const turn = (2 * Math.PI * time) / day
  const peak = ((signal.peakHour ?? 5) / 24) * 2 * Math.PI
  let value = signal.mean
  if (signal.daily) value += signal.daily * Math.cos(turn - peak)
  if (signal.wander)
    value += signal.wander * Math.sin(turn / 6.3 + (seed % 628) / 100) * Math.sin(turn / 17.9)
  if (signal.cycle)
    value += (signal.swing ?? 0) * Math.max(0, 1 - (8 * ((time + seed) % signal.cycle)) / signal.cycle)
  if (signal.noise) value += signal.noise * (chance(seed, time) * 2 - 1)
  return value
}

function excursionRise(signal: Signal, seed: number, dayIndex: number, time: number): number {
  const excursion = excursionOn(signal, seed, dayIndex)
  if (!excursion || time < excursion.start || time > excursion.end) return 0
  const { start, end } = excursion
  return (signal.rise ?? 0) * Math.sin((Math.PI * (time - start)) / (end - start))
}
