import { isEnvVariable } from '../shared/schema'
import { toNumberText } from './number-text'
import { formatNumber, translate } from './red'

/** Seconds of each unit, the largest unit first. */
const UNITS = { d: 86_400, h: 3600, min: 60, s: 1 } as const
export type DurationUnit = keyof typeof UNITS
const NAMES = Object.keys(UNITS) as DurationUnit[]

/** A duration as fields show it. */
export interface TypedDuration {
  text: string
  unit: DurationUnit
}

/** A saved number of `unit` in the largest unit in which it is whole. Other texts stay as they are. */
export function toTyped(saved: string, unit: DurationUnit): TypedDuration {
  const seconds = Number(convert(Number(saved), unit, 's'))
  if (!(seconds > 0 && Number.isFinite(seconds))) return { text: saved, unit }
  const fitting = NAMES.find((name) => Number.isInteger(seconds / UNITS[name])) ?? 's'
  return { text: convert(seconds, 's', fitting), unit: fitting }
}

/** The number of `unit` to save. An environment variable contains it; what is no number stays, and is invalid. */
export function toSaved({ text, unit: typedUnit }: TypedDuration, unit: DurationUnit): string {
  const number = toNumberText(text)
  return number === '' || !Number.isFinite(Number(number)) ? number : convert(Number(number), typedUnit, unit)
}

/** Without the digits that only come from rounding: 1.1 min are 66 s. */
const convert = (number: number, from: DurationUnit, to: DurationUnit) =>
  String(Number(((number * UNITS[from]) / UNITS[to]).toPrecision(12)))

/** Formats a saved number of `unit`: *90 s*, *2 h*. */
export function formatTyped(saved: number | string, unit: DurationUnit): string {
  const typed = toTyped(String(saved), unit)
  const number = isEnvVariable(saved) ? saved : formatNumber(Number(typed.text))
  return `${number} ${translate(`unit.${typed.unit}`)}`
}

/**
 * Shows a field with a number of seconds or minutes (`data-unit`) as a number and a unit of time. What Node-RED saves and
 * validates stays in the field, which is hidden.
 */
export class DurationField {
  readonly #saved: JQuery
  readonly #base: DurationUnit
  readonly #number = $('<input type="text" inputmode="decimal">')
  readonly #unit = $('<select>')

  /** @param findProblem the sentence about the value of the field, shown while the pointer is on the number */
  constructor(saved: JQuery, findProblem?: () => string | undefined) {
    this.#saved = saved
    this.#base = saved.attr('data-unit') as DurationUnit
    const least = (saved.attr('data-least') ?? this.#base) as DurationUnit
    // Node-RED fills in the texts of a form later.
    for (const name of ['data-i18n', 'aria-description', 'placeholder'])
      this.#number.attr(name, saved.attr(name) ?? null)
    const id = saved.attr('id')
    if (id) {
      this.#number.attr('id', `${id}-number`)
      $(`label[for=${id}]`).attr('for', `${id}-number`)
    }
    const offered = NAMES.slice(0, NAMES.indexOf(least) + 1).reverse()
    this.#unit.attr('aria-label', translate('label.unit')).append(
      offered.map((name) =>
        $('<option>')
          .val(name)
          .text(translate(`unit.${name}`)),
      ),
    )
    const box = $('<span class="envlog-duration">').append(this.#number, this.#unit)
    saved.prop('type', 'hidden').after(box)
    this.#number.on('input', () => this.#save())
    this.#number.on('change', () => this.#number.val(toNumberText(this.#typed.text)))
    this.#unit.on('change', () => this.#save())
    // Another part of the form, or Node-RED, may have set it.
    saved.on('change', () => {
      if (toSaved(this.#typed, this.#base) !== saved.val()) this.#show()
    })
    if (findProblem) RED.popover.tooltip(box, () => findProblem() ?? null)
    this.#show()
  }

  get #typed(): TypedDuration {
    return { text: String(this.#number.val()), unit: this.#unit.val() as DurationUnit }
  }

  #show(): void {
    const { text, unit } = toTyped(String(this.#saved.val()), this.#base)
    this.#number.val(text)
    this.#unit.val(unit)
    this.#lockUnit()
  }

  #save(): void {
    this.#lockUnit()
    this.#saved.val(toSaved(this.#typed, this.#base)).trigger('change')
  }

  /** Only the number of an environment variable is unknown, not its unit. */
  #lockUnit(): void {
    const isVariable = isEnvVariable(this.#typed.text.trim())
    this.#unit.prop('disabled', isVariable)
    if (isVariable) this.#unit.val(this.#base)
  }
}
