/** Devices in the simulator's demo fleet that all endpoints under test serve. */
export const freezer = { serial: '52A10001' } as const
export const fridge = { serial: '52A10002', base: '52A10002' } as const
export const rackA = { serial: '52C10008', base: '5F0A1001' } as const
export const truck = { serial: '52C10008', base: '5F0A1004' } as const
/** Current readings only. */
export const oldRelay = { serial: '31D10012', base: '5F0A1001' } as const

/** Winter in the north: no daylight saving in the demo fleet's zones. */
export const NOW = Date.UTC(2026, 0, 15, 12)
export const A_DAY = {
  from: '2026-01-14T12:00:00Z',
  fromType: 'date',
  to: '2026-01-15T12:00:00Z',
  toType: 'date',
}
