import {
  ACCOUNT_RANGES,
  CREDENTIAL_LENGTHS,
  findAddressProblem,
  findSharedQuotaProblem,
  isEnvVariable,
  isRelaySuffix,
} from '../shared/account'
import {
  isSerial,
  MAX_REPEAT_SECONDS,
  MAX_WAIT_SECONDS,
  needsMessage,
  RECEIPT_OUTPUTS,
  STARTS,
} from '../shared/action'
import { STORED_SECRET } from '../shared/admin'
import { isNeverBefore, readRelative, readTime } from '../shared/moment'
import { isLimits } from '../shared/service-limits'
import { migrateForm } from './migrate-form'
import { type Form, translate } from './red'

/**
 * Validators give `true` or a sentence. Node-RED takes the sentence only from functions that declare exactly
 * two parameters, so the definitions wrap these.
 */
type ValidationResult = true | string

const blank = (value: unknown) => value === undefined || value === null || value === ''

/** Another property of a node that is checked: while its form is open, what is typed is newer than what is saved. */
function asTyped(node: Form, name: string): unknown {
  const input = $(`#node-input-${name}`)
  if (input.is(':checkbox')) return input.prop('checked')
  return input.val() || node[name]
}

export function checkAddress(value: string): ValidationResult {
  if (isEnvVariable(value)) return true
  const problem = findAddressProblem(value ?? '')
  return problem ? translate(`problems.address-${problem}`) : true
}

/** Stored secrets are not known in the editor: `STORED_SECRET` is in place of them. */
export function checkCredential(name: keyof typeof CREDENTIAL_LENGTHS, value: string): ValidationResult {
  if (value === STORED_SECRET || isEnvVariable(value)) return true
  const [least, most] = CREDENTIAL_LENGTHS[name]
  const { length } = value ?? ''
  if (length === 0) return translate('problems.missing')
  if (length >= least && length <= most) return true
  return least === most
    ? translate('problems.length', { length: least, found: length })
    : translate('problems.length-between', { least, most, found: length })
}

export function checkRelaySuffix(value: string): ValidationResult {
  return blank(value) || isEnvVariable(value) || isRelaySuffix(value)
    ? true
    : translate('problems.relay-suffix')
}

export function checkWhole(value: unknown, least: number, most: number): ValidationResult {
  if (blank(value) || isEnvVariable(value)) return true
  const number = Number(value)
  return Number.isInteger(number) && number >= least && number <= most
    ? true
    : translate('problems.whole', { least, most })
}

export function checkAccountNumber(name: keyof typeof ACCOUNT_RANGES, value: unknown): ValidationResult {
  const [least, most] = ACCOUNT_RANGES[name]
  return checkWhole(value, least, most)
}

export function checkLimits(value: unknown): ValidationResult {
  return blank(value) || isEnvVariable(value) || isLimits(String(value)) ? true : translate('problems.limits')
}

export function checkSharedQuota(value: unknown): ValidationResult {
  if (blank(value) || isEnvVariable(value)) return true
  const problem = findSharedQuotaProblem(String(value))
  return problem ? translate(`problems.shared-quota-${problem}`) : true
}

export function checkWait(value: unknown): ValidationResult {
  return checkWhole(value, 0, MAX_WAIT_SECONDS)
}

export function checkRepeat(node: Form, value: unknown): ValidationResult {
  const parts = Object.fromEntries(
    ['select', 'propertyType', 'fromType', 'toType'].map((name) => [name, asTyped(node, name)]),
  )
  if (Number(value) > 0 && needsMessage(parts)) return translate('problems.repeat-needs-message')
  return checkWhole(value, 0, MAX_REPEAT_SECONDS)
}

/** Receipts are possible only with one message per device. */
export function checkAdvance(node: Form, value: unknown): ValidationResult {
  if (value !== 'acknowledged' || !asTyped(node, 'onlyNew')) return true
  const isCarried = RECEIPT_OUTPUTS.includes(String(asTyped(node, 'output')))
  const carried = isCarried && asTyped(node, 'send') === 'device'
  return carried ? true : translate('problems.advance-needs-device')
}

/** `held`, `now`, or a time. */
export function checkStart(value: unknown): ValidationResult {
  if (blank(value) || isEnvVariable(value) || (STARTS as readonly unknown[]).includes(value)) return true
  return readTime(String(value)) ? true : translate('problems.start')
}

/**
 * Checks one end of a period: a time, or a property that Node-RED can read. The end must not be before the beginning.
 */
export function checkPeriodEnd(node: Form, end: 'from' | 'to', value: unknown): ValidationResult {
  const type = String(asTyped(node, `${end}Type`))
  if (isEnvVariable(value)) return true
  if (type === 'rel') {
    if (!blank(value) && readRelative(String(value)) === null) return translate('problems.relative')
  } else if (type === 'date') {
    if (!blank(value) && !readTime(String(value))) return translate('problems.time')
  } else {
    const verdict = RED.utils.validateTypedProperty(value, type, {
      label: translate(`range.${end}`),
    })
    if (verdict !== true) return String(verdict)
  }
  return end === 'to' && isEmptyPeriod(node, value) ? translate('problems.period') : true
}

/** Whether a period ends before it begins, as far as the form shows it; blank ends mean 24 hours ago and now. */
function isEmptyPeriod(node: Form, to: unknown): boolean {
  const from = asTyped(node, 'from')
  const [fromType, toType] = ['fromType', 'toType'].map((name) => asTyped(node, name))
  const begins = fromType === 'rel' ? readRelative(String(from || '-24h')) : null
  const ends = toType === 'rel' ? readRelative(String(to)) : blank(to) ? 0 : null
  if (begins !== null && ends !== null) return ends >= begins
  const [one, other] = [readTime(String(from)), readTime(String(to))]
  return fromType === 'date' && toType === 'date' && !!one && !!other && isNeverBefore(one, other)
}

export function checkDevices(node: Form, value: unknown): ValidationResult {
  if (node.select !== 'list') return true
  const devices = Array.isArray(value) ? (value as { serial?: string; base?: string }[]) : []
  const { bases } = migrateForm(node)
  const units = Array.isArray(bases) ? bases.length : 0
  if (devices.length + units === 0) return translate('problems.no-devices')
  const wrong = devices.flatMap(({ serial, base }) => [serial, base || serial]).find(notSerial)
  return wrong === undefined ? true : translate('problems.serial', { serial: wrong })
}

/** A list of serials; needed only where `select` says so. */
export function checkSerials(value: unknown, needed: boolean): ValidationResult {
  const serials = Array.isArray(value) ? (value as string[]) : []
  if (needed && serials.length === 0) return translate('problems.no-devices')
  const wrong = serials.find(notSerial)
  return wrong === undefined ? true : translate('problems.serial', { serial: wrong })
}

/** Names of groups; needed only where `select` says so. */
export function checkGroups(value: unknown, needed: boolean): ValidationResult {
  const isSome = Array.isArray(value) && value.length > 0
  return needed && !isSome ? translate('problems.no-devices') : true
}

function notSerial(text: string | undefined): boolean {
  return !isSerial(text ?? '')
}
