import { limitsFor } from './limits.js'

/** Whether each channel is within its limits now, with a reason if not. */
export default function check(msg) {
  // Two checks may have been started at the same time.
  const runs = new Set(msg.payload.map(({ _msgid }) => _msgid))
  const results = [...runs].map((run) => judge(msg.payload.filter(({ _msgid }) => _msgid === run)))
  return [results.map(({ page }) => page), results.map(({ list }) => list)]

  /** @param messages the readings, and an error for each chosen device that the account does not have */
  function judge(messages) {
    const [{ settings, texts, limits, _msgid }] = messages
    if (!texts) throw new Error(`No texts in the language ${settings.language}`)
    const tools = { settings, texts, limits, language: settings.language }
    const readings = messages.find(({ error }) => !error)
    const errors = messages.flatMap(({ error }) => error ?? [])
    const made = Date.parse(readings?.envlog.receivedAt ?? '') || Date.now()
    const devices = (readings?.payload ?? [])
      .sort(inOrder(settings.language))
      .map((device) => judgeDevice(device, tools))
    for (const { message, cause } of errors)
      if (cause?.serial || cause?.group)
        devices.push(absent(cause, say(texts.notChecked, { why: message }), texts))
    const why = readings || devices.length > 0 ? null : (errors[0]?.message ?? texts.nothing)
    // Failures come first.
    const hasPassed = (device) => Number(device.rows.every(({ level }) => level !== 'bad'))
    devices.sort((a, b) => hasPassed(a) - hasPassed(b))
    const rows = devices.flatMap((device) => device.rows.map((row, at) => ({ ...row, isFirst: at === 0 })))
    const offset = usual(readings?.payload ?? []) ?? -new Date(made).getTimezoneOffset()
    const local = new Date(made + offset * 60_000).toISOString()
    const [date, time] = [local.slice(0, 10), local.slice(11, 16)]
    const [verdict, level] = summarize(rows, why, texts)
    const { envlog } = readings ?? {}
    const view = {
      language: settings.language,
      title: settings.title,
      date: `${new Date(date).toLocaleDateString(settings.language, { dateStyle: 'full', timeZone: 'UTC' })} ${time}`,
      verdict,
      level,
      mark: { good: '✓', warning: '!', bad: '✕' }[level],
      facts: [
        { name: texts.account, text: envlog?.account ?? '' },
        { name: texts.made, text: `${date} ${time} (${zone(offset)})` },
        { name: texts.by, text: `envlog ${envlog?.version ?? ''}`.trim() },
        ...Object.entries(texts.batteries).map(([battery, name]) => ({
          name,
          text: devices
            .filter((device) => device.battery === battery)
            .map(({ title }) => title)
            .join(texts.comma),
        })),
      ].filter(({ text }) => text !== ''),
      rows,
      isShown: rows.length > 0,
      texts,
    }
    const filename = `${settings.file}-${date}-${time.replace(':', '')}.html`
    const mail = {
      subject: `${settings.title} ${date} ${time}: ${verdict}`,
      text: mailOf(verdict, rows, texts),
    }
    const lines = why
      ? [[...Array(14).fill(''), say(texts.notDone, { why })]]
      : rows.map((row) => cellsOf(row, texts))
    const list = {
      _msgid,
      filename: `${settings.list}-${date.slice(0, 7)}.csv`,
      heading: toCsv([texts.columns], settings),
      lines: toCsv(
        lines.map((line) => [date, time, ...line.slice(2)]),
        settings,
      ),
    }
    return { page: { _msgid, settings, filename, report: view, mail }, list }
  }

  function judgeDevice({ serial, name, base, standalone, group, time, stale, battery, channels }, tools) {
    const { texts } = tools
    const device = {
      title: name || serial,
      serial,
      base: base.serial,
      group: group?.name ?? '',
      place: [name ? serial : '', standalone ? '' : say(texts.at, { base: base.name || base.serial })]
        .filter((each) => each !== '')
        .join(' · '),
      battery: battery.level,
      measured: time ? `${time.slice(0, 10)} ${time.slice(11, 16)}` : '–',
    }
    const rows = channels.map((channel) =>
      judgeChannel(channel, { ...tools, device, stale, serial, base, group }),
    )
    if (rows.length === 0)
      rows.push({ ...device, label: '–', shown: '–', limitsText: '–', ...fail(texts, texts.noChannels) })
    return { ...device, rows }
  }

  function judgeChannel(channel, { texts, language, limits, device, stale, serial, base, group }) {
    const { number, name, unit, quantity, value, error } = channel
    const applying = limitsFor(limits, { serial, base, group }, channel).map((limit) =>
      inUnitOf(channel, limit),
    )
    const withUnit = (shown) =>
      `${formatNumber(shown, language)}${unit && unit !== '%' ? '\u00a0' : ''}${unit}`
    const reasons = []
    if (stale) reasons.push(device.measured === '–' ? texts.neverMeasured : texts.old)
    if (value === null) reasons.push(error ? `${texts.noValue}${texts.colon}${error}` : texts.noValue)
    else
      for (const { name: limit, above, below } of applying) {
        const edge =
          above !== null && value > above
            ? ['above', above]
            : below !== null && value < below
              ? ['below', below]
              : null
        if (edge)
          reasons.push(
            `${limit ? `${limit}${texts.colon}` : ''}${say(texts[edge[0]], { value: withUnit(edge[1]) })}`,
          )
      }
    const isLimited = applying.length > 0
    const result =
      reasons.length > 0
        ? fail(texts, reasons.join(texts.comma))
        : isLimited
          ? pass(texts)
          : { level: 'none', result: texts.noLimits, reason: '' }
    return {
      ...device,
      number,
      label: name || `ch${number}`,
      quantity,
      unit,
      value,
      shown: value === null ? '–' : withUnit(value),
      edges: ['below', 'above'].map(
        (side) => applying.map((limit) => limit[side]).find((edge) => edge !== null) ?? null,
      ),
      limitsText:
        applying
          .map(
            ({ name: limit, ...edges }) =>
              `${limit ? `${limit}${texts.colon}` : ''}${limitText(edges, withUnit, language, texts)}`,
          )
          .join(texts.comma) || '–',
      ...result,
    }
  }

  function absent({ serial = '', base = '', group = '' }, why, texts) {
    const device = { title: serial || group, serial, base, group, place: '', measured: '–' }
    return {
      ...device,
      rows: [{ ...device, label: '–', shown: '–', limitsText: '–', isUnchecked: true, ...fail(texts, why) }],
    }
  }

  function pass(texts) {
    return { level: 'good', result: texts.pass, reason: '' }
  }

  function fail(texts, reason) {
    return { level: 'bad', result: texts.fail, reason }
  }

  function summarize(rows, why, texts) {
    if (why) return [say(texts.notDone, { why }), 'bad']
    const [failed, passed] = ['bad', 'good'].map((level) => rows.filter((row) => row.level === level).length)
    if (failed > 0) return [say(texts.failed, { n: failed, all: failed + passed }), 'bad']
    return passed > 0 ? [say(texts.passed, { n: passed }), 'good'] : [texts.nothingToCheck, 'warning']
  }

  function mailOf(verdict, rows, texts) {
    const failed = rows.filter(({ level }) => level === 'bad')
    return [
      verdict,
      ...failed.map(
        ({ title, label, shown, reason }) => [title, label, shown].join(texts.comma) + texts.colon + reason,
      ),
    ].join('\n')
  }

  function usual(devices) {
    const offsets = devices.map(({ utcOffset }) => utcOffset).filter((offset) => offset !== null)
    const countOf = (wanted) => offsets.filter((offset) => offset === wanted).length
    return [...offsets].sort((a, b) => countOf(b) - countOf(a))[0]
  }

  function inOrder(language) {
    const { compare } = new Intl.Collator(language, { numeric: true })
    return (a, b) => compare(a.name, b.name) || compare(a.serial, b.serial)
  }

  function inUnitOf({ unit, quantity }, { name = '', above = null, below = null, unit: own = 'C' }) {
    const isOther = quantity === 'temperature' && unit !== `°${own}`
    const toOther = (value) => Number((unit === '°F' ? value * 1.8 + 32 : (value - 32) / 1.8).toFixed(2))
    const convert = (value) => (value === null || !isOther ? value : toOther(value))
    return { name, above: convert(above), below: convert(below) }
  }

  function limitText({ above, below }, withUnit, language, texts) {
    if (above === null) return say(texts.from, { below: withUnit(below) })
    if (below === null) return say(texts.upTo, { above: withUnit(above) })
    return say(texts.between, { below: formatNumber(below, language), above: withUnit(above) })
  }

  /** A text with a number has a form for one and another for more. */
  function say(text, values) {
    const form = Array.isArray(text) ? text[values.n === 1 ? 0 : text.length - 1] : text
    return form.replace(/\{(\w+)\}/g, (_, name) => values[name])
  }

  function formatNumber(value, language) {
    return value.toLocaleString(language, { maximumFractionDigits: 2 }).replace('-', '\u2212')
  }

  function zone(minutes) {
    const two = (value) => String(Math.floor(value)).padStart(2, '0')
    const ahead = Math.abs(minutes)
    return `UTC${minutes < 0 ? '\u2212' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`
  }

  // The list

  function cellsOf({
    group,
    title,
    serial,
    base,
    number = '',
    label,
    value = null,
    unit = '',
    measured,
    edges = [null, null],
    result,
    reason,
  }) {
    return [
      '',
      '',
      group,
      title,
      serial,
      base,
      number,
      label,
      value,
      unit,
      measured,
      ...edges,
      result,
      reason,
    ]
  }

  function toCsv(rows, settings) {
    return rows
      .map(
        (row) => `${row.map((value) => toCell(value, settings)).join(settings.decimalComma ? ';' : ',')}\r\n`,
      )
      .join('')
  }

  function toCell(value, { decimalComma }) {
    if (value === null || value === undefined) return ''
    if (typeof value === 'number') return decimalComma ? String(value).replace('.', ',') : String(value)
    const text = cell(value)
    return /["\r\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  // biome-ignore lint/correctness/noUnusedFunctionParameters: scripts/texts.ts writes this function
  function cell(text) {}
}
