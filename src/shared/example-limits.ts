/** The limits of all examples, which the import of an example adds if the plant has no limits yet. */
const row = {
  name: '',
  select: 'all',
  devices: [] as { serial: string; base?: string }[],
  bases: [],
  groups: [],
  quantity: 'temperature' as string | null,
  channel: null as number | null,
  above: null as number | null,
  below: null as number | null,
  unit: 'C',
  minutes: 10,
  margin: 1,
}
const of = (...devices: (typeof row)['devices']) => ({ ...row, select: 'list', devices })
const freezers = of({ serial: '52A10001' }, { base: '5F0A1004', serial: '52C10008' })
const fridges = of({ serial: '52A10002' }, { serial: '52A10003' })
const serverRoom = of({ serial: '52B10006' })
const co2 = { ...row, quantity: 'co2', margin: 50 }
const humidity = { ...row, quantity: 'humidity', minutes: 30, margin: 2 }

/** On the wall display, rows with the name *warning* are another level. */
export const EXAMPLE_LIMITS = [
  { ...freezers, name: 'critical', above: -5, minutes: 0, margin: 0 },
  { ...freezers, above: -15, below: -30 },
  { ...fridges, above: 8, below: 0 },
  // What leaves the racks is warmer than any room.
  { ...serverRoom, quantity: null, channel: 2, above: 45 },
  { ...row, above: 35, below: -10 },
  { ...co2, above: 1500 },
  { ...co2, name: 'warning', above: 1000 },
  { ...humidity, above: 85 },
  { ...humidity, name: 'warning', above: 75 },
]
