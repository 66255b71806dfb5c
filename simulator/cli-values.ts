/** Converts command-line texts to values. Each function throws an OptionError that contains the name of the flag. */
import { readFileSync } from 'node:fs'
import { OptionError } from './option-error'
import { choices } from './variants'

export function numberFrom(value: string, flag: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number))
    throw new OptionError(`--${flag}: ${value} is not a number`)
  return number
}

export function timeFrom(value: string, flag: string): number {
  const time = /^\d+$/.test(value) ? Number(value) : Date.parse(value)
  if (!Number.isFinite(time)) throw new OptionError(`--${flag}: ${value} is not a time`)
  return time
}

export function jsonFileFrom(file: string, flag: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OptionError(`--${flag}: ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Reads JSON, such as true, 3, null or "text". Anything else is text. */
function wordFrom(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reads NAME (short for NAME=true) or NAME=VALUE. */
export function variantsFrom(texts: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(texts.map(variantFrom))
}

function variantFrom(text: string): [string, unknown] {
  const [name = '', ...rest] = text.split('=')
  if (rest.length === 0) return [name, true]
  const value = rest.join('=')
  if (name === 'blank') return [name, value.split('+')]
  // The allowed values determine the type: dstBias=60 is text, but standaloneNum=1 is a number.
  const values: readonly unknown[] = Object.hasOwn(choices, name) ? choices[name as keyof typeof choices] : []
  return [name, values.includes(value) ? value : wordFrom(value)]
}

/** Reads KIND,NAME=VALUE,…, with list items separated by +. */
export function faultsFrom(texts: readonly string[]): Record<string, unknown>[] {
  return texts.map((text) => {
    const [kind, ...pairs] = text.split(',')
    return { kind, ...Object.fromEntries(pairs.map(settingFrom)) }
  })
}

const readers: Readonly<Record<string, (value: string) => unknown>> = {
  endpoints: (value) => value.split('+'),
  serials: (value) => value.split('+'),
  body: (value) => value,
}

function settingFrom(pair: string): [string, unknown] {
  const [name = '', ...rest] = pair.split('=')
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  return [name, (read ?? wordFrom)(rest.join('='))]
}

/** Reads ENDPOINT.NAME=NUMBER. */
export function limitsFrom(texts: readonly string[], flag: string): Record<string, Record<string, number>> {
  const limits: Record<string, Record<string, number>> = {}
  for (const text of texts) {
    const [, endpoint, name, value] = /^([\w-]+)\.(\w+)=(.+)$/.exec(text) ?? []
    if (!endpoint || !name || !value) {
      throw new OptionError(`--${flag}: ${text} is not ENDPOINT.NAME=NUMBER`)
    }
    limits[endpoint] = { ...limits[endpoint], [name]: numberFrom(value, flag) }
  }
  return limits
}
