/** The rows of an example's table beside the records that the service had. */
import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { until } from '../wait'
import { differenceOf } from './compare'
import { type Lines, trueRecordLines } from './fleet'

export type StoredRow = Record<string, string | number | Date | null>

function linesOf(rows: readonly StoredRow[]): Lines {
  const lines: Lines = new Map()
  for (const { base, serial, time, channel, dataid, value, error } of rows) {
    const at = new Date(time as string | Date).toISOString()
    const line = `${at} ch${channel} ${dataid} ${value ?? error}`
    const known = lines.get(`${base}/${serial}`)
    if (known) known.push(line)
    else lines.set(`${base}/${serial}`, [line])
  }
  return lines
}

/** All records are there, each once. */
export async function assertArchived(simulator: Simulator, rows: () => Promise<StoredRow[]>): Promise<void> {
  const wrong = async () => {
    const { lost, doubled, invented, examples } = differenceOf(
      trueRecordLines(simulator),
      linesOf(await rows()),
    )
    return { lost, doubled, invented, examples: examples.filter(() => lost + doubled + invented > 0) }
  }
  await until('all is archived', async () => (await wrong()).lost === 0).catch(() => {})
  assert.deepEqual(await wrong(), { lost: 0, doubled: 0, invented: 0, examples: [] })
}
