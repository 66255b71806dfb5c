import { isSerial } from '../../shared/action'
import type { Chosen } from './choice'
import type { Kind } from './device-tree'

/**
 * Parses typed or pasted items, separated by commas, semicolons (also Japanese ones), tabs or line breaks, and serials
 * also by blanks. `base/serial` means the device under one base unit. `wrong` contains the words that are not serials,
 * unchanged.
 */
export function parseChosen(kind: Kind, text: string): { found: Chosen[]; wrong: string[] } {
  const separators = kind === 'groups' ? /[\t\r\n,;、，；]+/ : /[\s,;、，；]+/
  const found: Chosen[] = []
  const wrong: string[] = []
  for (const word of text.split(separators).map((part) => part.trim())) {
    const parts = word.split('/').reverse()
    const [serial = '', base] = parts
    if (word === '') continue
    else if (kind === 'groups') found.push({ group: word })
    else if (parts.length > 2 || !parts.every(isSerial)) wrong.push(word)
    else if (kind === 'bases') found.push({ unit: serial })
    else found.push(kind === 'devices' && base ? { serial, base } : { serial })
  }
  return { found, wrong }
}
