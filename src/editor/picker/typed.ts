import { isSerial } from '../../shared/action'
import type { Chosen } from './choice'

/**
 * Serials as people type and paste them: commas (Japanese ones too), blanks, tabs or lines between; `base/serial` where a device is
 * meant under one base unit. What is no serial comes back as it was.
 */
export function readTyped(text: string): { devices: Chosen[]; wrong: string[] } {
  const devices: Chosen[] = []
  const wrong: string[] = []
  for (const word of text.split(/[\s,;、，；]+/).filter((one) => one !== '')) {
    const [serial = '', base, ...more] = word.split('/').reverse()
    if (more.length === 0 && isSerial(serial) && (base === undefined || isSerial(base))) {
      devices.push(base === undefined ? { serial } : { serial, base })
    } else wrong.push(word)
  }
  return { devices, wrong }
}
