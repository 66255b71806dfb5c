import { limitsFor } from './limits.js'

/** The figures, excursions and charts of one device, and the next device. */
export default function card(msg) {
  const WIDTH = 360
  const HEIGHT = 240
  const DAY = 86_400_000
  const HOUR = 3_600_000
  const MINUTE = 60_000
  const FAILURES_IN_A_ROW = 3

  // Two reports may run at the same time.
  const runs = new Set(msg.payload.map(({ _msgid }) => _msgid))
  return [[...runs].map((run) => proceed(msg.payload.filter(({ _msgid }) => _msgid === run)))]

  /** @param messages all that arrived about one device: its records, or errors, or both */
  function proceed(messages) {
    const received = messages.find(({ series, error }) => series && !error)
    const errors = messages.flatMap(({ error }) => error ?? [])
    const { _msgid, settings, texts, limits, report, from, to, filename } = messages[0]
    const device = report.devices[report.at]
    if (received) {
      const { series, source, payload: events } = received
      Object.assign(device, describe(device, { series, source, events, settings, texts, limits }))
      device.notes = errors.map(({ message }) => message)
      report.version = source.version ?? report.version
      report.failures = 0
    } else fail(report, device, errors[0])
    const { devices, notDone } = report
    const next = notDone ? -1 : devices.findIndex(({ problem }, at) => at > report.at && !problem)
    report.at = next
    const asked = next < 0 ? null : { serial: devices[next].serial, base: devices[next].base }
    return { _msgid, settings, texts, limits, report, from, to, filename, device: asked }
  }

  /** A failure belongs to the device, unless several devices in a row fail or no request can succeed. */
  function fail(report, device, { message, code, cause, source }) {
    device.problem = message
    const isOfDevice = cause?.retryAt !== undefined || ['ENVLOG_INPUT', 'ENVLOG_REPLY'].includes(code)
    const isOfAll = source?.type === 'envlog-limits' || ['ENVLOG_AUTH', 'ENVLOG_CONFIG'].includes(code)
    report.failures = isOfDevice ? 0 : report.failures + 1
    if (isOfAll || report.failures >= FAILURES_IN_A_ROW) report.notDone = message
  }

  function describe(device, { series, source, events, settings, texts, limits }) {
    const from = Date.parse(source.range.from)
    const to = Date.parse(source.range.to)
    const records = series.records.filter(({ timestamp }) => timestamp !== null)
    const clock = clockOf(records, device.offset ?? 0)
    const isLong = to - from > 3 * DAY
    const at = (time) =>
      isLong ? `${dateOf(time, clock).slice(5)} ${hourOf(time, clock)}` : hourOf(time, clock)
    const median = recordingInterval(records)
    const tools = { from, to, at, clock, isLong, median, records, texts, language: settings.language }
    const channels = series.channels.map((channel) => {
      const applying = limitsFor(limits, series, channel).map((limit) => inUnitOf(channel, limit))
      const own = events.filter((event) => event.channel === channel.number)
      // Records of some devices have no names of channels.
      const known = device.channels.find(({ number }) => number === channel.number)
      return describeChannel(
        { ...channel, name: channel.name || known?.name },
        { ...tools, applying, events: own },
      )
    })
    const first = records[0]?.timestamp ?? to
    return {
      date: dateOf(from, clock),
      measuredChannels: channels,
      records: records.length,
      lost: source.overflow === true && { from: at(from), to: first >= to ? texts.end : at(first) },
      leftOut: events.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0),
    }
  }

  function describeChannel({ key, number, name, unit, quantity }, tools) {
    const { from, to, at, records, median, isLong, language, applying, events, texts } = tools
    const values = records.flatMap((record) => {
      const value = record[key]
      return typeof value === 'number' ? [{ time: record.timestamp, value }] : []
    })
    const decimals = Math.min(2, Math.max(0, ...values.slice(0, 500).map(({ value }) => decimalsOf(value))))
    const format = (value, digits = decimals) => formatNumber(value, digits, language)
    const withUnit = (value, digits) =>
      `${format(value, digits)}${unit && unit !== '%' ? '\u00a0' : ''}${unit}`
    const lowest = values.reduce((found, each) => (found && found.value <= each.value ? found : each), null)
    const highest = values.reduce((found, each) => (found && found.value >= each.value ? found : each), null)
    const mean = values.reduce((found, { value }, index) => found + (value - found) / (index + 1), 0)
    const errors = records.length - values.length
    const expected = median === null ? null : Math.max(values.length, Math.round((to - from) / median))
    const coverage =
      values.length === 0 ? 0 : expected && Math.min(100, Math.round((values.length / expected) * 1000) / 10)
    const gap = longestGap(values, tools)
    const excursions = events.map((event) => describeExcursion(event, { unit, withUnit, at, to, texts }))
    const mkt = isLong && quantity === 'temperature' && values.length > 0 ? kineticMean(values, unit) : null
    const failed = records.find((record) => typeof record[key] !== 'number')
    const described = {
      number,
      label: name || `ch${number}`,
      unit,
      quantity,
      count: values.length,
      expected,
      errors,
      errorText: failed?.errors?.[key] ?? '',
      coverage,
      gap: gap && {
        minutes: gap.minutes,
        text: durationOf(gap.minutes, texts),
        from: at(gap.from),
        to: gap.to >= to ? texts.end : at(gap.to),
      },
      limits: applying.map(({ name: limit, above, below, minutes }) => ({
        name: limit,
        above,
        below,
        text: limitText({ above, below, minutes }, { withUnit, format, texts }),
      })),
      excursions,
    }
    if (values.length === 0) return described
    const meanDigits = Math.min(2, decimals + 1)
    return {
      ...described,
      min: lowest.value,
      max: highest.value,
      mean: round(mean, 2),
      mkt,
      minText: withUnit(lowest.value),
      minAt: at(lowest.time),
      maxText: withUnit(highest.value),
      maxAt: at(highest.time),
      meanText: withUnit(mean, meanDigits),
      mktText: mkt === null ? '' : withUnit(mkt, meanDigits),
      chart: chartOf({ ...tools, key, values, lowest, highest, format, outside: excursions }),
    }
  }

  // Limits

  function inUnitOf(
    { unit, quantity },
    { name = '', above = null, below = null, minutes = 0, unit: own = 'C' },
  ) {
    const convert = (value) =>
      value === null || quantity !== 'temperature' ? value : toUnit(value, `°${own}`, unit)
    return { name, above: convert(above), below: convert(below), minutes }
  }

  function toUnit(value, from, to) {
    if (from === to) return value
    return round(to === '°F' ? value * 1.8 + 32 : (value - 32) / 1.8, 2)
  }

  function limitText({ above, below, minutes }, { withUnit, format, texts }) {
    const digits = (value) => decimalsOf(value)
    const limit =
      above === null
        ? fill(texts.from, { below: withUnit(below, digits(below)) })
        : below === null
          ? fill(texts.upTo, { above: withUnit(above, digits(above)) })
          : fill(texts.between, {
              below: format(below, digits(below)),
              above: withUnit(above, digits(above)),
            })
    return minutes > 0 ? fill(texts.lasting, { limit, minutes }) : limit
  }

  function describeExcursion(event, { unit, withUnit, at, to, texts }) {
    const { limit, condition, above, below, extreme, minutes } = event
    const own = (value) =>
      event.unit === '°C' || event.unit === '°F' ? toUnit(value, event.unit, unit) : value
    const start = Date.parse(event.from)
    const end = event.until === null ? null : Date.parse(event.until)
    // A run that lasts at the end of the period counts until then.
    const length = end === null ? Math.round((to - start) / MINUTE) : minutes
    const edge = own(condition === 'above' ? above : below)
    return {
      start,
      end: end ?? to,
      minutes: length,
      limit: `${limit ? `${limit}${texts.colon}` : ''}${fill(texts[condition], { value: withUnit(edge, decimalsOf(edge)) })}`,
      from: at(start),
      until: end === null ? texts.end : at(end),
      duration: durationOf(length, texts),
      extreme: withUnit(own(extreme)),
    }
  }

  // Figures

  /**
   * The median time between records, as in statistics: divided if record numbers show that some are missing in between,
   * and `null` if it cannot be known.
   */
  function recordingInterval(records) {
    if (records.length < 10 && records.every(({ dataId }) => !dataId)) return null
    const intervals = records.slice(1).flatMap(({ timestamp, dataId }, index) => {
      const before = records[index]
      const steps = Math.max(1, (dataId ?? 0) - (before.dataId ?? 0))
      return timestamp > before.timestamp ? [(timestamp - before.timestamp) / steps] : []
    })
    intervals.sort((a, b) => a - b)
    return intervals[(intervals.length - 1) >> 1] ?? null
  }

  /** The longest time without a value, if at least one record is missing. */
  function longestGap(values, { from, to, median }) {
    const times = [from, ...values.map(({ time }) => time), to]
    let longest = { from, to: from }
    for (let index = 1; index < times.length; index++) {
      if (times[index] - times[index - 1] > longest.to - longest.from)
        longest = { from: times[index - 1], to: times[index] }
    }
    const length = longest.to - longest.from
    return length > 1.9 * (median ?? 0) ? { ...longest, minutes: Math.round(length / MINUTE) } : null
  }

  /** The mean kinetic temperature, with an activation energy divided by the gas constant of 10,000 K. */
  function kineticMean(values, unit) {
    const kelvin = (value) => 273.15 + (unit === '°F' ? (value - 32) / 1.8 : value)
    const rate = values.reduce(
      (found, { value }, index) => found + (Math.exp(-10_000 / kelvin(value)) - found) / (index + 1),
      0,
    )
    const celsius = -10_000 / Math.log(rate) - 273.15
    return round(unit === '°F' ? celsius * 1.8 + 32 : celsius, 2)
  }

  function round(value, digits) {
    return Number(value.toFixed(digits)) + 0
  }

  function decimalsOf(value) {
    return (String(value).split('.')[1] ?? '').length
  }

  function formatNumber(value, digits, language) {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return round(value, digits).toLocaleString(language, options).replace('-', '\u2212')
  }

  function durationOf(minutes, texts) {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
    const text = hours === 0 ? texts.minutes : rest === 0 ? texts.hours : texts.hoursMinutes
    return fill(text, { hours, minutes: rest })
  }

  function fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name])
  }

  // Local times

  /** Times from which on local time is ahead of UTC by other minutes. Clocks change at full and half hours. */
  function clockOf(records, offset) {
    const shifts = []
    for (const { time, timestamp } of records) {
      const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? []
      const ahead = sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : 0
      if (shifts.at(-1)?.ahead !== ahead) shifts.push({ since: timestamp - (timestamp % (HOUR / 2)), ahead })
    }
    return (time) =>
      time + (shifts.findLast(({ since }) => since <= time)?.ahead ?? shifts[0]?.ahead ?? offset) * MINUTE
  }

  function dateOf(time, clock) {
    return new Date(clock(time)).toISOString().slice(0, 10)
  }

  function hourOf(time, clock) {
    return new Date(clock(time)).toISOString().slice(11, 16)
  }

  // Charts: the drawing is stretched to the width of the page, so that all texts are beside it.

  function chartOf(tools) {
    const { from, to, lowest, highest, applying, outside, isLong, format } = tools
    const edges = applying.flatMap(({ above, below }) => [above, below].filter((value) => value !== null))
    const [low, high] = [Math.min(lowest.value, ...edges), Math.max(highest.value, ...edges)]
    const margin = (high - low || 2) * 0.08
    const [bottom, top] = [low - margin, high + margin]
    const x = (time) => Math.round(((time - from) / (to - from)) * WIDTH)
    const y = (value) => Math.round(((top - value) / (top - bottom)) * HEIGHT)
    const percent = (value) => round(((top - value) / (top - bottom)) * 100, 1)
    const step = niceStep((top - bottom) / 5)
    const ticks = []
    for (let tick = Math.ceil(bottom / step) * step; tick <= top; tick += step) ticks.push(round(tick, 6))
    const box = (start, end, name) => {
      const left = Math.min(x(start), WIDTH - 1)
      return `<rect class="${name}" x="${left}" y="0" width="${Math.max(1, x(end) - left)}" height="${HEIGHT}"/>`
    }
    const drawn = [
      ...missing(tools).map(({ start, end, isError }) => box(start, end, isError ? 'error' : 'gap')),
      ...outside.flatMap(({ start, end }) => [
        box(start, end, 'outside'),
        box(start, end, 'bar').replace(`height="${HEIGHT}"`, 'height="7"'),
      ]),
      `<path class="grid" d="${ticks.map((tick) => `M0 ${y(tick)}H${WIDTH}`).join('')}"/>`,
      ...(isLong ? bars(tools, y) : [lines(tools, x, y)]),
      ...edges.map((edge) => `<path class="limit" d="M0 ${y(edge)}H${WIDTH}"/>`),
    ]
    const labels = []
    for (const edge of [...new Set(edges)].sort((a, b) => a - b)) {
      const label = { top: percent(edge), text: format(edge, decimalsOf(edge)) }
      if (labels.every((other) => Math.abs(other.top - label.top) >= 12)) labels.push(label)
    }
    return {
      svg: drawn.join(''),
      ticks: ticks.map((tick) => ({ top: percent(tick), text: format(tick, decimalsOf(step)) })),
      edges: labels,
      times: isLong ? dayTicks(tools) : hourTicks(tools),
    }
  }

  function niceStep(rough) {
    const power = 10 ** Math.floor(Math.log10(rough))
    return round([1, 2, 5, 10].find((factor) => factor * power >= rough) * power, 6)
  }

  /** Times without records, and times of records without a value. */
  function missing({ from, to, key, records, median }) {
    const found = []
    const isLate = (time) => median !== null && time > 1.9 * median
    let last = from
    for (const [index, record] of records.entries()) {
      if (isLate(record.timestamp - last)) found.push({ start: last, end: record.timestamp })
      last = record.timestamp
      if (typeof record[key] === 'number') continue
      const end = records[index + 1]?.timestamp ?? to
      const previous = found.at(-1)
      if (previous?.isError && previous.end === record.timestamp) previous.end = end
      else found.push({ start: record.timestamp, end, isError: true })
    }
    if (isLate(to - last)) found.push({ start: last, end: to })
    return found
  }

  /** A line, broken where records are missing, with the lowest and highest value for each step of the width. */
  function lines({ key, records, median }, x, y) {
    const segments = []
    let last = null
    for (const record of records) {
      const value = record[key]
      if (typeof value !== 'number') {
        last = null
        continue
      }
      const { timestamp } = record
      if (last === null || (median !== null && timestamp - last > 1.9 * median)) segments.push([])
      last = timestamp
      const columns = segments.at(-1)
      const column = columns.at(-1)
      const height = y(value)
      if (column?.x === x(timestamp)) {
        column.low = Math.min(column.low, height)
        column.high = Math.max(column.high, height)
        column.last = height
      } else columns.push({ x: x(timestamp), first: height, low: height, high: height, last: height })
    }
    const path = segments.map((columns) => {
      const points = columns.flatMap(({ x: left, first, low, high, last: end }) => {
        const heights = first > end ? [first, high, low, end] : [first, low, high, end]
        return heights
          .filter((each, index) => index === 0 || each !== heights[index - 1])
          .map((top) => ({ left, top }))
      })
      let previous = points[0]
      const steps = points.slice(1).map((point) => {
        const step = `${point.left - previous.left} ${point.top - previous.top}`
        previous = point
        return step
      })
      const start = `M${points[0].left} ${points[0].top}`
      return `${start}${steps.length > 0 ? `l${steps.join(' ').replaceAll(' -', '-')}` : 'h0'}`
    })
    return `<path class="value" d="${path.join('')}"/>`
  }

  /** For each day, a bar from the lowest to the highest value, and a line through the means. */
  function bars({ from, to, clock, values }, y) {
    const count = Math.round((to - from) / DAY)
    const days = byDay(values, from, clock)
    const width = WIDTH / count
    const shapes = []
    let path = ''
    let previous = -2
    for (const [index, { low, high, sum, number }] of days) {
      const left = round(index * width + width * 0.15, 1)
      const [top, bottom] = [y(high), y(low)]
      shapes.push(
        `<rect class="range" x="${left}" y="${top}" width="${round(width * 0.7, 1)}" height="${Math.max(2, bottom - top)}"/>`,
      )
      const center = round((index + 0.5) * width, 1)
      path += `${previous === index - 1 ? 'L' : 'M'}${center} ${y(sum / number)}${previous === index - 1 ? '' : 'h0'}`
      previous = index
    }
    return [...shapes, `<path class="value" d="${path}"/>`]
  }

  function byDay(values, from, clock) {
    const first = Math.floor(clock(from) / DAY)
    const days = new Map()
    for (const { time, value } of values) {
      const index = Math.floor(clock(time) / DAY) - first
      const day = days.get(index) ?? { low: value, high: value, sum: 0, number: 0 }
      days.set(index, {
        low: Math.min(day.low, value),
        high: Math.max(day.high, value),
        sum: day.sum + value,
        number: day.number + 1,
      })
    }
    return days
  }

  /** Every three hours of local time, also on a day of 23 or 25 hours. */
  function hourTicks({ from, to, clock }) {
    const ticks = []
    for (let time = from; time <= to; time += HOUR) {
      const hour = Math.round((clock(time) % DAY) / HOUR) % 24
      const text = time === to && hour === 0 ? '24' : String(hour)
      if (hour % 3 === 0 && ticks.at(-1)?.text !== text)
        ticks.push({ left: round(((time - from) / (to - from)) * 100, 1), text })
    }
    return ticks
  }

  function dayTicks({ from, to }) {
    const count = Math.round((to - from) / DAY)
    const days = Array.from({ length: count }, (_, index) => index + 1)
    return days
      .filter((day) => day === 1 || (day % 5 === 0 && day < count + 1))
      .map((day) => ({ left: round(((day - 0.5) / count) * 100, 1), text: String(day) }))
  }
}
