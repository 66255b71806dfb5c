/** Responses of alert (docs/service.md, *Fields*), with at most the newest 20 entries, newest first. */
import { maxAlertEntries } from '../endpoints'
import type { Device } from '../fleet/device'
import type { Variants } from '../variants'
import { channelFields, extra, identity, numeric, offsets, shownChannels, styleOf } from './shape'

export function alertBody(device: Device, now: number, variants: Variants): string {
  const style = styleOf('alert', variants)
  const view = device.records(now)
  const channels = view.high > view.low ? shownChannels(device, style) : []
  return JSON.stringify({
    ...identity(device, style),
    ...offsets(device.zone(now), style, variants),
    channel: channels.map(({ channel }) => channelFields(channel, style, variants)),
    'alert-logs': device.alerts(now, maxAlertEntries).map((entry) => ({
      unixtime: numeric(entry.unixtime, style),
      ...entry.texts,
      ...extra(variants),
    })),
    ...extra(variants),
  })
}
