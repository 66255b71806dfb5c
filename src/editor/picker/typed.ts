import { isSerial } from '../../shared/action'
import type { ChosenDevice } from './choice'

/**
 * Serials as people type and paste them: commas (Japanese ones too), blanks, tabs or lines between; `base/serial` where a device is
 * meant under one base unit. What is no serial comes back as it was.
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

/** Names of groups: commas, tabs or lines between, for a name may have blanks. */
export function readTypedGroups(text: string): string[] {
  const names = text.split(/[\t\r\n,;、，；]+/).map((name) => name.trim())
  return names.filter((name) => name !== '')
}
