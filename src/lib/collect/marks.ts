import type { Reading } from '../readings/current'
import type { NodeMemory } from './memory'

/**
 * The readings whose measurement time or `stale` changed since they were last sent (nodes.md, *envlog-current*);
 * `remember` once they are.
 */
export function changedReadings(
  readings: readonly Reading[],
  memory: NodeMemory,
): { changed: Reading[]; remember(): void } {
  const changed = readings.filter((reading) => memory.mark(keyOf(reading)) !== markOf(reading))
  return {
    changed,
    remember: () => memory.setMarks(changed.map((reading) => [keyOf(reading), markOf(reading)])),
  }
}

const keyOf = ({ serial, base }: Reading) => `${base.serial}/${serial}`
const markOf = ({ timestamp, stale }: Reading) => `${timestamp} ${stale}`
