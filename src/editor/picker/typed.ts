import { isSerial } from '../../shared/action'
import type { ChosenDevice } from './choice'

/**
 * Parses typed or pasted serials, separated by commas, semicolons (also Japanese ones), blanks, tabs or line breaks;
 * `base/serial` means the device under one base unit. `wrong` contains the words that are not serials, unchanged.
 */
export function readTyped(text: string): { devices: ChosenDevice[]; wrong: string[] } {
  const devices: ChosenDevice[] = []
  const wrong: string[] = []
  for (const word of text.split(/[\s,;、，；]+/).filter((one) => one !== '')) {
    const [serial = '', base, ...more] = word.split('/').reverse()
    if (more.length === 0 && isSerial(serial) && (base === undefined || isSerial(base))) {
      devices.push(base === undefined ? { serial } : { serial, base })
    } else wrong.push(word)
  }
  return { devices, wrong }
}

/** Parses group names, separated like serials, except that a name may contain blanks. */
export function readTypedGroups(text: string): string[] {
  const names = text.split(/[\t\r\n,;、，；]+/).map((name) => name.trim())
  return names.filter((name) => name !== '')
}
