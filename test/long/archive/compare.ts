import type { Lines } from './fleet'

export interface Difference {
  devices: number
  lines: number
  /** Missing rows. */
  lost: number
  /** Duplicate rows. */
  doubled: number
  /** Rows that never existed. */
  invented: number
  /** Rows that arrived before an older one. */
  misplaced: number
  /** An example of each kind of error. */
  examples: string[]
}

/** Lists the rows that are missing from an archive, duplicated, or out of order. */
export function differenceOf(expected: Lines, found: Lines): Difference {
  const sum: Difference = {
    devices: 0,
    lines: 0,
    lost: 0,
    doubled: 0,
    invented: 0,
    misplaced: 0,
    examples: [],
  }
  for (const device of new Set([...expected.keys(), ...found.keys()])) {
    const wanted = expected.get(device) ?? []
    const actual = found.get(device) ?? []
    const [wantedOnce, cameOnce] = [new Set(wanted), new Set(actual)]
    const wrong = {
      lost: wanted.filter((line) => !cameOnce.has(line)),
      doubled: repeatsIn(actual),
      invented: actual.filter((line) => !wantedOnce.has(line)),
      misplaced: actual.filter(
        (line, index) => index > 0 && timeIn(line) < timeIn(actual[index - 1] as string),
      ),
    }
    sum.devices++
    sum.lines += actual.length
    for (const [kind, lines] of Object.entries(wrong) as [keyof typeof wrong, string[]][]) {
      sum[kind] += lines.length
      if (lines.length > 0) sum.examples.push(`${device} ${kind}: ${lines[0]} … ${lines.at(-1)}`)
    }
  }
  return sum
}

function repeatsIn(lines: readonly string[]): string[] {
  const seen = new Set<string>()
  return lines.filter((line) => seen.has(line) || !seen.add(line))
}

const timeIn = (line: string) => line.slice(0, line.indexOf(' '))
