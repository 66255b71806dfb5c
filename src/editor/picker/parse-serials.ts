import { isSerial } from '../../shared/action'
import type { Chosen, ChosenDevice } from './choice'
import type { Kind } from './device-tree'

/**
 * Parses typed or pasted serials, separated by commas, semicolons (also Japanese ones), blanks, tabs or line breaks.
 * `base/serial` means the device under one base unit. `wrong` contains the words that are not serials, unchanged.
 */
export function parseSerials(text: string): { devices: ChosenDevice[]; wrong: string[] } {
  const devices: ChosenDevice[] = []
  const wrong: string[] = []
  for (const word of text.split(/[\s,;、，；]+/).filter((word) => word !== '')) {
    const [serial = '', base, ...more] = word.split('/').reverse()
    if (more.length === 0 && isSerial(serial) && (base === undefined || isSerial(base))) {
      devices.push(base === undefined ? { serial } : { serial, base })
    } else wrong.push(word)
  }
  return { devices, wrong }
}

/** Parses group names, separated like serials, except that a name may contain blanks. */
export function parseGroups(text: string): string[] {
  const names = text.split(/[\t\r\n,;、，；]+/).map((name) => name.trim())
  return names.filter((name) => name !== '')
}

/** Parses text as items of the given kind. */
export function parseChosen(kind: Kind, text: string): { found: Chosen[]; wrong: string[] } {
  if (kind === 'groups') return { found: parseGroups(text).map((group) => ({ group })), wrong: [] }
  const { devices, wrong } = parseSerials(text)
  if (kind === 'devices') return { found: devices, wrong }
  return { found: devices.map(({ serial }) => (kind === 'bases' ? { unit: serial } : { serial })), wrong }
}
