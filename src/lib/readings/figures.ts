import type { Channel } from './channel'
import { countDecimals } from './decimals'

/** A measured value, and the time of its first occurrence, ms since 1970 UTC. */
export interface Measured {
  value: number
  time: number
}

/** Figures of the values of a channel. `null`: there are no values. */
export interface ChannelFigures {
  /** Number of values. */
  count: number
  min: Measured | null
  max: Measured | null
  /** With two decimals, or as many as in the values. */
  mean: number | null
  /** Mean kinetic temperature; `null` if it is not a temperature. */
  mkt: number | null
}

const MIN_DECIMALS = 2
const MAX_DECIMALS = 10

/** Calculates the figures of a channel, value by value. */
export class Figures {
  readonly #channel: Pick<Channel, 'unit' | 'quantity'>
  #count = 0
  #min: Measured | null = null
  #max: Measured | null = null
  #mean = 0
  /** The mean of `toRate`; only of temperatures. */
  #meanRate = 0
  #decimals = MIN_DECIMALS

  constructor(channel: Pick<Channel, 'unit' | 'quantity'>) {
    this.#channel = channel
  }

  add(value: number, time: number): void {
    const { quantity, unit } = this.#channel
    this.#count++
    // A running mean, because a sum loses precision.
    this.#mean += (value - this.#mean) / this.#count
    if (quantity === 'temperature') this.#meanRate += (toRate(value, unit) - this.#meanRate) / this.#count
    if (!this.#min || value < this.#min.value) this.#min = { value, time }
    if (!this.#max || value > this.#max.value) this.#max = { value, time }
    this.#decimals = countDecimals(value, this.#decimals, MAX_DECIMALS)
  }

  result(): ChannelFigures {
    const { quantity, unit } = this.#channel
    const isEmpty = this.#count === 0
    return {
      count: this.#count,
      min: this.#min,
      max: this.#max,
      // 21.43, not 21.433333333333334; never -0.
      mean: isEmpty ? null : Number(this.#mean.toFixed(this.#decimals)) + 0,
      mkt: isEmpty || quantity !== 'temperature' ? null : fromRate(this.#meanRate, unit),
    }
  }
}

/** Activation energy divided by the gas constant, K, as usual for medicines. */
export const ACTIVATION_K = 10_000
const ZERO_CELSIUS_K = 273.15

/** The rate of ageing at a temperature, exp(-ΔH / RT). */
function toRate(value: number, unit: string): number {
  const celsius = unit === '°F' ? (value - 32) / 1.8 : value
  return Math.exp(-ACTIVATION_K / (ZERO_CELSIUS_K + celsius))
}

/** The temperature for a rate of ageing, with two decimals: for the mean rate, the mean kinetic temperature. */
function fromRate(rate: number, unit: string): number {
  const celsius = -ACTIVATION_K / Math.log(rate) - ZERO_CELSIUS_K
  return Math.round((unit === '°F' ? celsius * 1.8 + 32 : celsius) * 100) / 100 + 0
}
