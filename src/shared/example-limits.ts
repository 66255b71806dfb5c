/** The limits of all examples, which the import of an example adds if the plant has no limits yet. */
const row = {
  name: '',
  select: 'all',
  devices: [],
  bases: [],
  groups: [],
  quantity: 'temperature',
  channel: null,
  above: null,
  below: null,
  unit: 'C',
  minutes: 10,
  margin: 1,
}
const freezers = {
  ...row,
  select: 'list',
  devices: [{ serial: '52A10001' }, { base: '5F0A1004', serial: '52C10008' }],
}

export const EXAMPLE_LIMITS = [
  { ...freezers, name: 'critical', above: -5, minutes: 0, margin: 0 },
  { ...freezers, above: -15, below: -30 },
  { ...row, above: 35, below: -10 },
  { ...row, quantity: 'humidity', above: 85, minutes: 30, margin: 2 },
]
