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
  const words = text.split(separators).map((part) => part.trim())
  const found: Chosen[] = []
  const wrong: string[] = []
  for (const word of words.filter(Boolean)) {
    const item = toChosen(kind, word)
    if (item) found.push(item)
    else wrong.push(word)
  }
  return { found, wrong }
}

function toChosen(kind: Kind, word: string): Chosen | undefined {
  if (kind === 'groups') return { group: word }
  const [serial = '', base, ...others] = word.split('/').reverse()
  if (others.length > 0 || !isSerial(serial) || (base !== undefined && !isSerial(base))) return undefined
  if (kind === 'bases') return { unit: serial }
  return kind === 'devices' && base ? { serial, base } : { serial }
}
