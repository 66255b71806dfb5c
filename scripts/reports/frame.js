/** What the report is about: the chosen devices, also those that the account does not have, and the period. */
export default function frame(msg) {
  // Two reports may have been started at the same time.
  const runs = new Set(msg.payload.map(({ _msgid }) => _msgid))
  const begun = [...runs].map((run) => start(msg.payload.filter(({ _msgid }) => _msgid === run)))
  // Without a device, the page is finished at once.
  return [begun, begun.filter(({ device }) => device !== null)]

  function start(messages) {
    const [first] = messages
    const { settings, texts } = first
    if (!texts) throw new Error(`No texts in the language ${settings.language}`)
    const readings = messages.find(({ error }) => !error)
    const errors = messages.flatMap(({ error }) => error ?? [])
    const made = Date.parse(readings?.envlog.receivedAt ?? '') || Date.now()
    const devices = (readings?.payload ?? []).map(describe).sort(inOrder(settings.language))
    for (const { message, cause } of errors) {
      if (cause?.serial) devices.push(absent(cause, message))
      else if (cause?.group) devices.push(absent({ serial: '' }, message, cause.group))
    }
    const offset = usual(devices) ?? -new Date(made).getTimezoneOffset()
    const period = toPeriod(settings.period, made + offset * 60_000)
    const at = devices.findIndex(({ problem }) => !problem)
    const report = {
      key: period.key,
      offset,
      made,
      account: readings?.envlog.account ?? '',
      version: readings?.envlog.version ?? '',
      devices,
      at,
      failures: 0,
      isFinished: false,
      notDone: readings || devices.length > 0 ? null : (errors[0]?.message ?? texts.nothing),
    }
    const { _msgid, limits } = first
    const { from, to } = period
    const device = at < 0 ? null : { serial: devices[at].serial, base: devices[at].base }
    // Reports of the same period do not overwrite each other.
    const [date, time] = new Date(made + offset * 60_000).toISOString().split(/[T.]/)
    const filename = `${settings.file}-${period.key}-made-${date}-${time.replaceAll(':', '')}.html`
    return { _msgid, settings, texts, limits, report, from, to, device, filename }
  }

  function describe({ serial, name, base, standalone, group, utcOffset, time, stale, battery, channels }) {
    return {
      serial,
      name,
      base: base.serial,
      baseName: standalone ? '' : base.name || base.serial,
      group: group?.name ?? '',
      offset: utcOffset,
      measured: time && `${time.slice(0, 10)} ${time.slice(11, 16)}`,
      isSilent: stale === true,
      battery: battery.level,
      channels: channels.map(({ number, name: label, unit, quantity }) => ({
        number,
        name: label,
        unit,
        quantity,
      })),
    }
  }

  /** A device or a group that the account does not have. */
  function absent({ serial, base = '' }, problem, group = '') {
    return { serial, name: '', base, baseName: '', group, offset: null, channels: [], problem }
  }

  function inOrder(language) {
    const { compare } = new Intl.Collator(language, { numeric: true })
    // Devices without a group come last.
    const groupOf = ({ group }) => (group === '' ? '\uffff' : group)
    return (a, b) => compare(groupOf(a), groupOf(b)) || compare(a.name, b.name) || compare(a.serial, b.serial)
  }

  /** Minutes by which the local time of most devices is ahead of UTC. */
  function usual(devices) {
    const offsets = devices.map(({ offset }) => offset).filter((offset) => offset !== null)
    const countOf = (wanted) => offsets.filter((offset) => offset === wanted).length
    return [...offsets].sort((a, b) => countOf(b) - countOf(a))[0]
  }

  /** The requested period, and its date or month by local time. */
  function toPeriod(wanted, localNow) {
    const now = new Date(localNow)
    const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const date = (...parts) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10)
    if (wanted === 'yesterday') return { key: date(year, month, day - 1), from: wanted }
    if (wanted === 'last-month') return { key: date(year, month - 1, 1).slice(0, 7), from: wanted }
    const [, y, m, d] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(wanted) ?? []
    if (!y) throw new Error(`The period must be yesterday, last-month, a date or a month, not ${wanted}`)
    if (d) return { key: wanted, from: wanted, to: date(y, m - 1, Number(d) + 1) }
    return { key: wanted, from: `${wanted}-01`, to: date(y, m, 1) }
  }
}
