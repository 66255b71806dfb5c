/** Rate headers (docs/service.md, *Limits*), as described, absent or invalid. */
import type { EndpointLimits } from './limits'
import type { Variants } from './variants'

const spellings: Readonly<Record<Variants['rateHeaders'], (value: number) => string | undefined>> = {
  described: (value) => String(value),
  absent: () => undefined,
  text: () => 'abc',
  empty: () => '',
  negative: (value) => String(-value - 1),
}

/** `X-RateLimit-Reset` is the length of the window, not the remaining time (docs/service.md, *Limits*). */
export function rateHeaders(
  limits: Required<EndpointLimits>,
  remaining: number,
  remainingRecords: number | undefined,
  variants: Variants,
): Record<string, string> {
  const values = {
    'X-RateLimit-Limit': limits.limit,
    'X-RateLimit-Reset': limits.window,
    'X-RateLimit-Remaining': remaining,
    ...(remainingRecords === undefined ? {} : { 'X-RateLimit-Remaining-DataCount': remainingRecords }),
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = spellings[variants.rateHeaders](value)
    if (text !== undefined) headers[name] = text
  }
  return headers
}
