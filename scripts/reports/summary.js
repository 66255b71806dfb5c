/** The verdict, what is missing, and all that the page and the table show. */
export default function summary(msg) {
  const { settings, texts, report } = msg
  // Anything else has been refused by the node *limits*.
  const limits = Array.isArray(msg.limits) ? msg.limits : []
  const { language } = settings
  const devices = report.devices.map(describeDevice)
  const channels = devices.flatMap((device) => device.channels)
  const excursions = channels.flatMap((channel) => channel.excursions.map((each) => ({ ...each, channel })))
  const counts = {
    excursions: excursions.length + sum(devices.map(({ leftOut }) => leftOut)),
    unchecked: devices.filter(({ isChecked }) => !isChecked).length,
    noValue:
      channels.filter(({ state }) => state === 'noValue').length +
      sum(devices.map((device) => absentChannels(device).length)),
    incomplete: channels.filter(({ state }) => state === 'incomplete').length,
    silent: devices.filter(({ isSilent }) => isSilent).length,
  }
  report.isFinished = report.at < 0
  const [verdict, level] = judge()
  // Devices that were not checked come first.
  const missing = devices
    .map((device) => ({
      id: device.id,
      device: device.title,
      isChecked: device.isChecked,
      texts: whatIsMissing(device).map(({ text }) => text),
    }))
    .filter((device) => device.texts.length > 0)
    .sort((a, b) => Number(a.isChecked) - Number(b.isChecked))
  const view = {
    language,
    title: settings.title,
    date: longDate(report.key),
    verdict,
    level,
    mark: { good: '✓', warning: '!', bad: '✕' }[level],
    facts: facts(),
    limits: limits.map(describeLimit),
    missing,
    excursions: excursions.map(({ channel, ...each }) => ({
      ...each,
      id: channel.id,
      device: channel.device,
      label: channel.label,
    })),
    leftOut: devices
      .filter(({ leftOut }) => leftOut > 0)
      .map(({ title, leftOut }) => say(texts.leftOut, { n: leftOut, device: title })),
    channels,
    hasKinetic: channels.some(({ mktText }) => mktText),
    hasLimits: limits.length > 0,
    isMissing: missing.length > 0,
    isOutside: counts.excursions > 0,
    isShown: channels.length > 0,
    groups: inGroups(devices.filter((device) => device.channels.length > 0)),
    texts,
  }
  const common = { _msgid: msg._msgid, settings, filename: msg.filename }
  const mail = {
    subject: `${settings.title} ${report.key}: ${verdict}`,
    text: [
      verdict,
      ...missing.map(
        ({ device, texts: sentences }) => `${device}${texts.colon}${sentences.join(texts.semicolon)}`,
      ),
    ].join('\n'),
  }
  const page = { ...common, report: view, isFinished: report.isFinished, mail }
  const table = { ...common, filename: msg.filename.replace(/html$/, 'csv'), payload: toCsv() }
  return [page, report.isFinished ? table : null]

  // Devices and channels

  function describeDevice(device, index) {
    const { serial, name, baseName, group, measuredChannels = [] } = device
    const title = name || serial || group
    const withSerial = name && devicesNamed(name) > 1 ? `${name} (${serial})` : title
    const isChecked = measuredChannels.length > 0 && device.records > 0
    const id = `d${index + 1}`
    const details = [
      serial === title ? '' : serial,
      baseName && say(texts.at, { base: baseName }),
      group === title ? '' : group,
    ]
    const described = {
      ...device,
      id,
      title: withSerial,
      subtitle: details.filter((each) => each !== '').join(' · '),
      otherDate:
        device.date && !report.key.startsWith(device.date.slice(0, report.key.length)) ? device.date : '',
      isChecked,
      leftOut: device.leftOut ?? 0,
      expected: device.channels,
    }
    const channels = isChecked ? measuredChannels.map((channel) => describeChannel(channel, described)) : []
    for (const [at, channel] of channels.entries()) channel.isFirst = at === 0
    return { ...described, channels }
  }

  function devicesNamed(name) {
    return report.devices.filter((device) => device.name === name).length
  }

  function describeChannel(channel, device) {
    const { count, expected, coverage, gap, excursions: found } = channel
    const isIncomplete = device.lost || (coverage !== null && coverage < settings.coverage)
    const state = count === 0 ? 'noValue' : isIncomplete ? 'incomplete' : 'complete'
    const records =
      expected === null ? number(count) : say(texts.ofRecords, { n: number(count), all: number(expected) })
    const badges = []
    if (found.length > 0) badges.push({ level: 'bad', text: say(texts.excursionsCount, { n: found.length }) })
    if (state !== 'complete') badges.push({ level: 'warning', text: texts.states[state] })
    else if (channel.limits.length === 0) badges.push({ level: 'none', text: texts.noLimits })
    else if (found.length === 0) badges.push({ level: 'good', text: texts.inside })
    return {
      ...channel,
      id: device.id,
      device: device.title,
      serial: device.serial,
      state,
      records,
      isIncomplete: state !== 'complete',
      coverageText: coverage === null ? '–' : percent(coverage),
      gapText: gap && state !== 'noValue' ? say(texts.longestGap, gap) : '',
      errorsText:
        channel.errors > 0
          ? say(texts.errors, { n: number(channel.errors), error: channel.errorText || texts.noText })
          : '',
      limitsText:
        channel.limits
          .map(({ name, text }) => (name ? `${name}${texts.colon}${text}` : text))
          .join(texts.comma) || texts.noLimits,
      hasExcursions: found.length > 0,
      isLimited: channel.limits.length > 0,
      badges,
      about: say(texts.aboutChart, {
        device: device.title,
        label: channel.label,
        min: channel.minText,
        max: channel.maxText,
      }),
    }
  }

  function inGroups(shown) {
    const names = [...new Set(shown.map(({ group }) => group))]
    // Headings of groups with few devices would only take up space.
    if (shown.length < 3 * names.length) return [{ name: '', devices: shown }]
    return names.map((name) => ({
      name: name || texts.noGroup,
      devices: shown.filter(({ group }) => group === name),
    }))
  }

  // What is missing

  /** Sentences about what was not checked, or only in part; those about one channel have its number. */
  function whatIsMissing(device) {
    const { name, serial, problem, expected, channels: shown, measuredChannels, notes = [] } = device
    const found = []
    const add = (text, channel = null) => found.push({ text, channel })
    // The page names the device anyway.
    const withoutName = (text) =>
      text.replace(`${name} (${serial}): `, '').replace(`${name}（${serial}）：`, '')
    if (problem) add(say(texts.notChecked, { why: withoutName(problem) }))
    else if (!measuredChannels) add(report.isFinished ? texts.notReached : texts.notYet)
    else if (expected.length + measuredChannels.length === 0) add(texts.noChannels)
    else if (!device.isChecked) add(device.baseName ? texts.noRecordsRemote : texts.noRecords)
    for (const note of notes) add(withoutName(note))
    if (device.lost) add(say(texts.lost, device.lost))
    for (const { number: channel, state, label, coverageText, gapText, errorsText } of shown) {
      const share = state === 'incomplete' ? say(texts.covered, { percent: coverageText }) : texts.noValue
      const details = [share, gapText, errorsText].filter((each) => each !== '')
      if (state !== 'complete') add(`${label}${texts.colon}${details.join(texts.comma)}`, channel)
    }
    const absent = absentChannels(device)
    if (absent.length > 0)
      add(
        say(texts.noRecordsOf, {
          channels: absent.map((channel) => channel.name || `ch${channel.number}`).join(texts.comma),
        }),
      )
    if (device.isSilent) add(device.measured ? say(texts.silentSince, device) : texts.neverMeasured)
    return found
  }

  /** Channels of a device with records that has none of these. */
  function absentChannels({ isChecked, expected, channels: shown }) {
    return isChecked
      ? expected.filter((channel) => shown.every((other) => other.number !== channel.number))
      : []
  }

  function judge() {
    if (report.notDone) return [say(texts.notDone, { why: report.notDone }), 'bad']
    if (!report.isFinished) return [texts.unfinished, 'bad']
    const found = ['excursions', 'unchecked', 'noValue', 'incomplete', 'silent'].filter(
      (name) => counts[name] > 0,
    )
    if (found.length > 0) {
      const level = counts.excursions > 0 || counts.unchecked === devices.length ? 'bad' : 'warning'
      return [found.map((name) => say(texts[`${name}Count`], { n: counts[name] })).join(texts.comma), level]
    }
    const isLimited = channels.some((channel) => channel.limits.length > 0)
    return [
      say(isLimited ? texts.allNormal : texts.allWithoutLimits, { n: devices.length }),
      isLimited ? 'good' : 'warning',
    ]
  }

  // Texts

  function facts() {
    const withoutLimits = channels.filter((channel) => channel.limits.length === 0).length
    return [
      {
        name: texts.checked,
        text:
          say(texts.ofDevices, { n: devices.length, checked: devices.length - counts.unchecked }) +
          texts.comma +
          say(texts.channels, { n: channels.length }),
      },
      withoutLimits > 0 && { name: texts.withoutLimits, text: say(texts.channels, { n: withoutLimits }) },
      { name: texts.account, text: report.account },
      { name: texts.made, text: `${localTime(report.made)} (${zone(report.offset)})` },
      { name: texts.by, text: `envlog ${report.version}`.trim() },
      ...Object.entries(texts.batteries).map(([level, name]) => ({
        name,
        text: devices
          .filter(({ battery }) => battery === level)
          .map(({ title }) => title)
          .join(texts.comma),
      })),
    ].filter((fact) => fact && fact.text !== '')
  }

  function describeLimit({
    name = '',
    select = 'all',
    devices: chosen = [],
    bases = [],
    groups = [],
    channel,
    quantity,
    above = null,
    below = null,
    unit = 'C',
    minutes = 0,
  }) {
    const measured = channel ? `ch${channel}` : (texts.quantities[quantity ?? 'temperature'] ?? quantity)
    const suffix =
      channel || (quantity ?? 'temperature') !== 'temperature'
        ? quantity === 'humidity'
          ? '%'
          : ''
        : `\u00a0°${unit}`
    const show = (value) => `${String(value).replace('-', '\u2212')}${suffix}`
    const limit =
      above === null
        ? say(texts.from, { below: show(below) })
        : below === null
          ? say(texts.upTo, { above: show(above) })
          : say(texts.between, { below: String(below).replace('-', '\u2212'), above: show(above) })
    const nameOf = ({ serial, base }) =>
      report.devices.find((device) => device.serial === serial && device.base === (base ?? device.base))
        ?.name || serial
    const all = {
      all: [texts.allDevices],
      list: [...chosen.map(nameOf), ...bases],
      base: bases,
      group: groups,
    }[select]
    return {
      name,
      measured,
      text: minutes > 0 ? say(texts.lasting, { limit, minutes }) : limit,
      devices: all.join(texts.comma),
    }
  }

  /** A text with a number has a form for one and another for more. */
  function say(text, values) {
    const form = Array.isArray(text) ? text[values.n === 1 ? 0 : text.length - 1] : text
    return form.replace(/\{(\w+)\}/g, (_, name) => values[name])
  }

  function number(value) {
    return value.toLocaleString(language)
  }

  function percent(value) {
    return `${value.toLocaleString(language, { maximumFractionDigits: 1 })}${texts.percent}`
  }

  function sum(numbers) {
    return numbers.reduce((total, each) => total + each, 0)
  }

  function longDate(key) {
    const style =
      key.length === 7
        ? { year: 'numeric', month: 'long' }
        : { year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' }
    return new Date(key).toLocaleDateString(language, { ...style, timeZone: 'UTC' })
  }

  function localTime(time) {
    return new Date(time + report.offset * 60_000).toISOString().slice(0, 16).replace('T', ' ')
  }

  function zone(minutes) {
    const two = (value) => String(Math.floor(value)).padStart(2, '0')
    const ahead = Math.abs(minutes)
    return `UTC${minutes < 0 ? '\u2212' : '+'}${two(ahead / 60)}:${two(ahead % 60)}`
  }

  // The table

  function toCsv() {
    const rows = devices.flatMap((device) => {
      const missing = whatIsMissing(device)
      const notes = (wanted) =>
        missing
          .filter(({ channel }) => (channel ?? wanted) === wanted)
          .map(({ text }) => text.replace(/[.。]$/, ''))
          .join('; ')
      const own = [device.otherDate || report.key, device.group, device.name, device.serial, device.base]
      if (device.channels.length === 0) return [[...own, ...Array(19).fill(null), notes(null)]]
      return device.channels.map((channel) => {
        const { min = null, max = null, mean = null, mkt = null, minAt = '', maxAt = '' } = channel
        const edges = ['below', 'above'].map(
          (side) => channel.limits.map((limit) => limit[side]).find((edge) => edge !== null) ?? null,
        )
        return [
          ...own,
          channel.number,
          channel.label,
          texts.quantities[channel.quantity] ?? channel.quantity ?? '',
          channel.unit,
          min,
          minAt,
          max,
          maxAt,
          mean,
          mkt,
          ...edges,
          channel.excursions.length,
          sum(channel.excursions.map(({ minutes }) => minutes)),
          channel.coverage,
          channel.count,
          channel.expected,
          channel.errors,
          channel.gap?.minutes ?? null,
          notes(channel.number),
        ]
      })
    })
    const separator = settings.decimalComma ? ';' : ','
    return `\uFEFF${[texts.columns, ...rows].map((row) => `${row.map(toCell).join(separator)}\r\n`).join('')}`
  }

  function toCell(value) {
    if (value === null || value === undefined) return ''
    if (typeof value === 'number')
      return settings.decimalComma ? String(value).replace('.', ',') : String(value)
    const text = cell(value)
    return /["\r\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }

  // biome-ignore lint/correctness/noUnusedFunctionParameters: scripts/texts.ts writes this function
  function cell(text) {}
}
