import type { FieldNames } from '../../shared/outputs'
import type { Channel } from '../readings/channel'

type Named = Pick<Channel, 'key' | 'name' | 'quantity'>

/**
 * Returns a unique name for each channel of a device, by its key. Further channels with the same name get the suffix
 * `_2` and so on. For a channel without a name, it is the key.
 * @param clean removes characters that a name must not contain
 * @param reserved names that no channel may have
 * @param toWritten converts a name to its form in the output, which must be unique as well
 */
export function channelNames(
  channels: readonly Named[],
  by: FieldNames,
  clean: (text: string) => string = (text) => text,
  reserved: readonly string[] = [],
  toWritten: (name: string) => string = (name) => name,
): Map<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const { key, name, quantity } of channels) {
    const wanted = by === 'channel' ? key : clean(by === 'label' ? name : (quantity ?? '')) || key
    let unique = wanted
    for (let count = 2; taken.has(toWritten(unique)); count++) unique = `${wanted}_${count}`
    taken.add(toWritten(unique))
    names.set(key, unique)
  }
  return names
}
