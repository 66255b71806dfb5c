import { covers, type Limit, readLimits } from '../../shared/limits-schema'
import { describeProblem } from '../../shared/problems'
import { hasEnvVariable, isEnvVariable } from '../../shared/schema'
import { ChoiceField } from '../choice-field'
import type { DeviceSource } from '../device-source'
import { DurationField } from '../duration-field'
import { selectValue } from '../fields'
import { toNumberText } from '../number-text'
import { toSaved } from '../picker/choice'
import { translate } from '../red'
import { chosenOf, describeLimit } from './describe-limit'

/** The kind of items to choose with each selection. */
const KINDS = { all: undefined, list: 'devices', base: 'bases', group: 'groups' } as const

/** What the rows of a form have in common. */
export interface RowContext {
  source: DeviceSource
  /** The fields of a row, to be copied. */
  fields: JQuery
  /** Call this when a limit or its place has changed, because it may hide limits of other rows. */
  changed(): void
  /** Adds a copy of a limit below its row. */
  duplicate(limit: Limit, row: JQuery): void
}

/** A row of the list: a limit as a sentence and, while the row is open, fields that change the limit. */
export class LimitRow {
  readonly #limit: Limit
  readonly #element: JQuery
  readonly #context: RowContext
  readonly #line = $('<button type="button" class="envlog-limit-line" aria-expanded="false">')
  readonly #problem = $('<div class="envlog-limit-problem" role="status">')
  #fields = $()
  /** The problem that the limit has in any place. */
  #ownProblem = ''

  constructor(limit: Limit, element: JQuery, context: RowContext) {
    this.#limit = limit
    this.#element = element
    this.#context = context
    element.addClass('envlog-limit').append(this.#line, this.#problem)
    element.siblings('a').attr('aria-label', RED._('common.label.delete'))
    this.#line.on('click', () => (this.#fields.length > 0 ? this.#close() : this.open()))
    this.#line.on('keydown', (event) => this.#move(event))
    // jQuery UI triggers this when the row is removed.
    this.#line.on(
      'remove',
      context.source.listen(() => this.#show()),
    )
    this.#show()
  }

  open(): void {
    const { fields, duplicate } = this.#context
    this.#fields = fields.clone().i18n().appendTo(this.#element)
    const { quantity, channel } = this.#limit
    const shown = { ...this.#limit, quantity: channel === null ? (quantity ?? 'temperature') : 'channel' }
    for (const [name, value] of Object.entries(shown)) {
      const field = this.#field(name)
      if (field.is('select')) selectValue(field, value)
      else field.val(String(value ?? ''))
    }
    this.#field('channel').val(channel ?? 1)
    new DurationField(this.#field('minutes'))
    this.#fields.on('input', () => this.#read())
    this.#field('select').on('change', () => this.#showChoice())
    this.#field('done').on('click', () => this.#close())
    this.#field('duplicate').on('click', () => {
      this.#close()
      duplicate(this.#limit, this.#element)
    })
    this.#line.attr('aria-expanded', 'true')
    this.#showChoice()
    this.#show()
    this.#field('done')[0]?.scrollIntoView({ block: 'nearest' })
    this.#field('name').trigger('focus')
  }

  #close(): void {
    this.#fields.remove()
    this.#fields = $()
    this.#line.attr('aria-expanded', 'false').trigger('focus')
  }

  #field(name: string): JQuery {
    return this.#fields.find(`[data-limit=${name}]`)
  }

  #read(): void {
    const text = (name: string) => String(this.#field(name).val() ?? '').trim()
    const number = (name: string) => {
      const typed = toNumberText(text(name))
      if (isEnvVariable(typed)) return typed
      if (typed === '') return null
      // A text that is no number stays as it is: saved as NaN, it would be lost, and the limit with it.
      const value = Number(typed)
      return Number.isFinite(value) ? value : typed
    }
    const isChannel = text('quantity') === 'channel'
    Object.assign(this.#limit, {
      name: text('name'),
      select: text('select'),
      quantity: isChannel ? null : text('quantity'),
      // A blank number is invalid, because `null` would mean the temperature.
      channel: isChannel ? (number('channel') ?? 0) : null,
      above: number('above'),
      below: number('below'),
      unit: text('unit'),
      minutes: number('minutes'),
      margin: number('margin'),
    })
    this.#show()
    this.#context.changed()
  }

  #showChoice(): void {
    const { source } = this.#context
    const kind = KINDS[this.#limit.select]
    const element = this.#field('chosen')
      .empty()
      .toggle(kind !== undefined)
    if (!kind) return
    const field = new ChoiceField(element, kind, chosenOf(this.#limit), source, () => {
      Object.assign(this.#limit, toSaved(field.chosen))
      this.#show()
      this.#context.changed()
    })
  }

  #show(): void {
    const limit = this.#limit
    const sentence = describeLimit(limit, this.#context.source.devices)
    this.#line.text(sentence).attr('title', sentence)
    this.#ownProblem = findProblem(limit)
    const { quantity, channel } = limit
    this.#fields.find('.envlog-limit-channel').toggle(channel !== null)
    // The channel may be a temperature.
    this.#fields.find('.envlog-limit-unit').toggle(quantity === null || quantity === 'temperature')
  }

  get limit(): Limit {
    return this.#limit
  }

  /** @param above the limits of the rows above */
  showProblem(above: readonly Limit[]): void {
    const isCovered = !hasEnvVariable(this.#limit) && above.some((other) => covers(other, this.#limit))
    const covered = isCovered ? describeProblem({ problem: 'limit-covered' }, 'name', translate) : ''
    this.#problem.text(this.#ownProblem || covered)
  }

  /** Moves the row with Alt and an arrow key. */
  #move({ altKey, key }: JQuery.KeyDownEvent): void {
    if (!altKey) return
    const row = this.#element.parent()
    if (key === 'ArrowUp') row.insertBefore(row.prev())
    if (key === 'ArrowDown') row.insertAfter(row.next())
    this.#context.changed()
    this.#line.trigger('focus')
  }
}

/** A sentence about the problem of a limit; blank if there is none, or if a variable may solve it. */
function findProblem(limit: Limit): string {
  if (hasEnvVariable(limit)) return ''
  const found = readLimits([limit])
  if (!('problem' in found)) return ''
  const [, , property = ''] = found.property.split('.')
  return describeProblem(found.problem, property, translate)
}
