/** The limits of a channel: of each name, the first row that matches, as in the node *limits*. */
export function limitsFor(limits, { serial, base, group }, { number, quantity }) {
  const byName = new Map()
  for (const limit of limits) {
    const { name = '', select = 'all', devices = [], bases = [], groups = [] } = limit
    const isListed = devices.some(
      (chosen) => chosen.serial === serial && (chosen.base ?? base.serial) === base.serial,
    )
    const isFor = {
      all: true,
      list: isListed || bases.includes(base.serial),
      base: bases.includes(base.serial),
      group: group !== null && groups.includes(group.name),
    }[select]
    const measures =
      (limit.channel ?? null) === null
        ? (limit.quantity ?? 'temperature') === quantity
        : limit.channel === number
    if (isFor && measures && !byName.has(name)) byName.set(name, limit)
  }
  return [...byName.values()]
}
