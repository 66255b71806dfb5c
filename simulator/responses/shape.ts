/** Parts that the responses of several endpoints share, in the style of each endpoint. */
import { type EndpointName, endpoints, type Style } from '../endpoints'
import type { Channel, Device, Offsets } from '../fleet/device'
import type { Variants } from '../variants'

/** The described style of an endpoint, changed by the current variants. */
export function styleOf(endpoint: EndpointName, variants: Variants): Style {
  const style = { ...endpoints[endpoint].style }
  if (variants.numbers !== 'described') style.numbers = variants.numbers
  if (variants.offsetSpelling !== 'described') style.spelling = variants.offsetSpelling
  if (!style.withBase && endpoint !== 'current') {
    if (variants.channelBase !== 'described') style.channelBase = variants.channelBase
    style.channels = variants.standaloneChannels
  }
  return style
}

export function numeric(value: number, style: Style): number | string {
  return style.numbers === 'text' ? String(value) : value
}

/** The fields with the offsets of a device (docs/service.md, *Fields*). */
export function offsets(zone: Offsets, style: Style, variants: Variants): Record<string, number | string> {
  const mark = style.spelling === 'hyphen' ? '-' : '_'
  const { timeDiff, stdBias, dst, dstBias } = zone
  const flag = style.dstFlag && variants.dstFlag === 'described'
  const always60 = style.dstFlag || variants.dstBias === '60'
  return {
    [`time${mark}diff`]: numeric(timeDiff, style),
    [`std${mark}bias`]: numeric(stdBias, style),
    ...(flag ? { 'dst-flg': numeric(dst ? 1 : 0, style) } : {}),
    [`dst${mark}bias`]: numeric(always60 ? 60 : dstBias, style),
  }
}

/** The fields that identify the device, on all endpoints except `current`. */
export function identity(device: Device, style: Style): Record<string, string> {
  const { serial, model, name, base } = device
  if (!style.withBase) return { serial, model, name }
  return {
    'remote-serial': serial,
    'remote-model': model,
    'remote-name': name,
    'base-serial': base.serial,
    'base-model': base.model,
    'base-name': base.name,
  }
}

/** The channels that an endpoint returns, with their indexes in the device's list of channels. */
export function shownChannels(device: Device, style: Style): { channel: Channel; column: number }[] {
  return device.channels
    .map((channel, column) => ({ channel, column }))
    .filter(({ channel }) => channel.num <= style.channels)
}

/** The fields of a channel (docs/service.md, *Fields*). */
export function channelFields(channel: Channel, style: Style, variants: Variants): Record<string, unknown> {
  return {
    name: variants.blank.includes('channel.name') ? '' : channel.name,
    num: numeric(channel.num - 1 + style.channelBase, style),
    unit: channel.unit,
    ...extra(variants),
  }
}

/** Undescribed fields, if the variant is set. */
export function extra(variants: Variants): Record<string, unknown> {
  return variants.extraFields
    ? { 'x-revision': 3, reserved: null, 'x-detail': { note: 'new', list: [1] } }
    : {}
}
