import type { FieldNames } from '../../shared/outputs'
import type { Channel } from '../readings/channel'

type Named = Pick<Channel, 'key' | 'name' | 'quantity'>

/**
 * What each channel of a device is called, by its key: no two have one name. The second of a name gets `_2` behind it;
 * a channel without such a name has its key.
 * @param clean takes out what cannot stand in a name
 * @param reserved names that none may have
 * @param written as which a name may stand elsewhere: no two are the same there either
 */
export function channelNames(
  channels: readonly Named[],
  by: FieldNames,
  clean: (text: string) => string = (text) => text,
  reserved: readonly string[] = [],
  written: (name: string) => string = (name) => name,
): Map<string, string> {
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const { key, name, quantity } of channels) {
    const wanted = by === 'channel' ? key : clean(by === 'label' ? name : (quantity ?? '')) || key
    let unique = wanted
    for (let count = 2; taken.has(written(unique)); count++) unique = `${wanted}_${count}`
    taken.add(written(unique))
    names.set(key, unique)
  }
  return names
}
