import type { ListedDevice } from '../../shared/admin'
import type { Limit } from '../../shared/limits-schema'
import { onlyUnitOf, withUnit } from '../../shared/quantity'
import { isEnvVariable } from '../../shared/schema'
import { formatTyped } from '../duration-field'
import { countChosen } from '../node-label'
import type { Chosen } from '../picker/choice'
import { nameOf } from '../picker/device-texts'
import { enumerated, formatNumber, translate } from '../red'

/** Shown in place of what is missing. */
const MISSING = '…'

type Devices = readonly ListedDevice[] | undefined

/**
 * A limit as a sentence: *too warm: temperature of all devices above -15 °C for 10 minutes, back at -16 °C*. An
 * environment variable is shown by its name.
 */
export function describeLimit(limit: Limit, devices: Devices): string {
  const { name, minutes, above, below, margin } = limit
  const show = (value: number) => withUnit(formatValue(value), unitOf(limit))
  const bounds: string[] = []
  const ends: string[] = []
  if (above !== null) {
    bounds.push(translate('limits.row.above', { bound: show(above) }))
    ends.push(show(Number(above) - Number(margin)))
  }
  if (below !== null) {
    bounds.push(translate('limits.row.below', { bound: show(below) }))
    ends.push(show(Number(below) + Number(margin)))
  }
  const about = { what: edged(measurementOf(limit)), which: edged(devicesOf(limit, devices)) }
  let text = spaced(translate('limits.row.sentence', { ...about, bounds: either(bounds) }))
  if (isEnvVariable(minutes) || minutes > 0)
    text = translate('limits.row.lasting', { text, time: formatTyped(minutes, 'min') })
  if (margin > 0) text = translate('limits.row.back', { text, values: either(ends) })
  return name === '' ? text : translate('limits.row.named', { name, text })
}

/** Marks where a text was inserted into another one. */
const EDGE = '\u0000'
const edged = (text: string) => EDGE + text + EDGE

/** A text with spaces between Japanese particles and the names or digits that were inserted beside them. */
const spaced = (text: string) =>
  text
    .replace(/([\p{Script=Latin}\d)%])\0(?=\p{Script=Hiragana})/gu, '$1 ')
    .replace(/(\p{Script=Hiragana})\0(?=[\p{Script=Latin}\d])/gu, '$1 ')
    .replaceAll(EDGE, '')

/** A number in the user's language. A sum with a variable is not known. */
function formatValue(value: number): string {
  if (isEnvVariable(value)) return String(value)
  return Number.isFinite(value) ? formatNumber(value) : MISSING
}

function measurementOf({ channel, quantity }: Limit): string {
  if (channel !== null) return translate('limits.row.channel', { number: channel })
  return isEnvVariable(quantity) ? String(quantity) : translate(`quantity.${quantity ?? 'temperature'}`)
}

/** The unit, if it is known; the one of a channel is not. */
function unitOf({ channel, quantity, unit }: Limit): string {
  if (channel !== null) return ''
  if (isEnvVariable(quantity) || isEnvVariable(unit)) return ''
  return quantity === null || quantity === 'temperature' ? `°${unit}` : (onlyUnitOf(quantity) ?? '')
}

function devicesOf(limit: Limit, devices: Devices): string {
  if (limit.select === 'all') return translate('limits.row.all')
  if (isEnvVariable(limit.select)) return limit.select
  const chosen = chosenOf(limit)
  if (chosen.length > 1 && limit.select !== 'group') return enumerated(countChosen(limit))
  const names = chosen.map((item) => {
    const name = nameOf(item, devices)
    return 'unit' in item ? translate('picker.whole', { name }) : name
  })
  return enumerated(names) || MISSING
}

/** The items that are chosen with the current selection. */
export function chosenOf({ select, devices, bases, groups }: Limit): Chosen[] {
  if (select === 'group') return groups.map((group) => ({ group }))
  return [...(select === 'list' ? devices : []), ...bases.map((unit) => ({ unit }))]
}

const either = ([first = MISSING, second]: readonly string[]) =>
  second === undefined ? first : translate('limits.row.or', { first, second })
