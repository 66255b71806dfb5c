/** The parts of an answer that the assumptions about the service look at, whatever their form. */

import { isAbsent, readElements } from '../decode/fields'
import { readNumber } from '../decode/number'
import { parseChannelNumber } from '../readings/channel'
import type { Answered } from './exchange'

export type Json = Readonly<Record<string, unknown>>

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const objectsIn = (value: unknown): Json[] => (readElements(value) ?? []).map(asObject)

export const bodyOf = ({ result }: Answered) => asObject(result.body)
export const recordsOf = (answer: Answered) => objectsIn(bodyOf(answer).data)
export const devicesOf = (answer: Answered) => objectsIn(bodyOf(answer).devices)
export const entriesOf = (answer: Answered) => objectsIn(bodyOf(answer)['alert-logs'])
export const idOf = (record: Json) => record['data-id'] ?? record.data_id

/** Instants of the records with one, in the order of the answer, in seconds. */
export const timesOf = (records: readonly Json[]) =>
  records.map(({ unixtime }) => readNumber(unixtime)).filter((time) => time !== null)

export const single = (value: unknown): Json => asObject(Array.isArray(value) ? value[0] : value)
export const isFilledArray = (value: unknown) => Array.isArray(value) && value.length > 0

type Order = 'ascending' | 'descending' | 'mixed'

/** Equal times say nothing. */
export function orderOf(times: readonly number[]): Order | undefined {
  const steps = times.slice(1).map((time, index) => Math.sign(time - (times[index] as number)))
  const [isUp, isDown] = [steps.includes(1), steps.includes(-1)]
  if (isUp && isDown) return 'mixed'
  if (isUp) return 'ascending'
  return isDown ? 'descending' : undefined
}

/** Whether channels are numbered from 0 or from 1; `null` for neither, `undefined` where the answer does not show it. */
export function channelBaseOf(answer: Answered): 0 | 1 | null | undefined {
  const keys = new Set(
    recordsOf(answer)
      .flatMap((record) => Object.keys(record))
      .map(parseChannelNumber),
  )
  keys.delete(undefined)
  const numbers = objectsIn(bodyOf(answer).channel).map(({ num }) => readNumber(num))
  if (keys.size === 0 || numbers.length === 0) return undefined
  if (numbers.includes(0)) return 0
  if (numbers.every((number) => keys.has(number ?? -1))) return 1
  return numbers.every((number) => number !== null && keys.has(number + 1)) ? 0 : null
}

/** The JSON types of the fields that hold numbers; blank ones have none. */
export function numberTypesOf(answer: Answered): Set<'text' | 'number'> {
  const types = new Set<'text' | 'number'>()
  const look = (value: unknown) => {
    if (typeof value === 'number') types.add('number')
    else if (typeof value === 'string' && readNumber(value) !== null) types.add('text')
  }
  for (const holder of offsetHoldersOf(answer)) {
    for (const [field, value] of Object.entries(holder)) if (/^(?:time|std|dst)[-_]/.test(field)) look(value)
  }
  for (const record of [...recordsOf(answer), ...entriesOf(answer)]) {
    look(record.unixtime)
    look(idOf(record))
  }
  for (const record of recordsOf(answer)) {
    for (const [field, value] of Object.entries(record))
      if (parseChannelNumber(field) !== undefined) look(value)
  }
  for (const device of devicesOf(answer)) {
    for (const field of ['num', 'battery', 'rssi', 'unixtime']) look(device[field])
    look(single(device.group).num)
    for (const { num } of objectsIn(device.channel)) look(num)
  }
  for (const { num } of objectsIn(bodyOf(answer).channel)) look(num)
  return types
}

/** The objects that have the fields of the time offset: the devices of `current`, and other answers themselves. */
export function offsetHoldersOf(answer: Answered): Json[] {
  return answer.endpoint === 'current' ? devicesOf(answer) : [bodyOf(answer)]
}

export function offsetSpellingOf(answer: Answered): 'hyphen' | 'underscore' | 'both' | undefined {
  const fields = offsetHoldersOf(answer).flatMap((holder) => Object.keys(holder))
  const hasHyphen = fields.some((field) => /^(?:time-diff|std-bias|dst-bias)$/.test(field))
  const hasUnderscore = fields.some((field) => /^(?:time_diff|std_bias|dst_bias)$/.test(field))
  if (hasHyphen && hasUnderscore) return 'both'
  if (hasHyphen) return 'hyphen'
  return hasUnderscore ? 'underscore' : undefined
}

export function serialsIn(answer: Answered): string[] {
  const body = bodyOf(answer)
  const devices = devicesOf(answer)
  const fields = [
    ...devices.flatMap(({ serial, baseunit }) => [serial, single(baseunit).serial]),
    ...[body.serial, body['remote-serial'], body['base-serial']],
  ]
  return fields.filter((serial) => !isAbsent(serial)).map(String)
}
