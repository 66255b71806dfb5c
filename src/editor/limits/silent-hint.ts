import type { UsualInterval } from '../../shared/admin'
import { requestAdmin } from '../admin-request'
import { formatTyped } from '../duration-field'
import { type Form, translate } from '../red'

/** Says that *Silent for* is too short for devices that send at this interval, in minutes; blank if it is not. */
export function describeTooShort(silentAfter: string, interval: number): string {
  const least = 2 * interval
  const isTooShort = silentAfter.trim() !== '' && Number(silentAfter) <= least && interval > 0
  if (!isTooShort) return ''
  const [every, most] = [interval, least].map((minutes) => formatTyped(minutes, 'min'))
  return translate('limits.interval', { every, least: most })
}

/** Shows it below the field, once the deployed node knows the interval. */
export async function showSilentHint({ id }: Form): Promise<void> {
  const [field, hint] = [$('#node-config-input-silentAfter'), $('#envlog-silent-hint')]
  try {
    const { minutes } = await requestAdmin<UsualInterval>(`limits/${id}/interval`)
    const show = () => {
      const text = describeTooShort(String(field.val()), minutes)
      hint.text(text).toggle(text !== '')
    }
    field.on('change', show)
    show()
  } catch {
    // Without a runtime or a permission, there is no hint.
  }
}
