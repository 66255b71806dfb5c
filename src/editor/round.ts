import { ALERTS_AN_HOUR } from '../shared/account'
import type { Form } from './red'
import { serialRows } from './serial-list'

/** Says in `#envlog-round` how long the service's limit makes one round over the chosen devices. */
export function showRound(form: Form): void {
  const devices = $('#node-input-select').val() === 'list' ? serialRows('envlog-devices').length : 0
  const minutes = Math.ceil((devices * 60) / ALERTS_AN_HOUR)
  const time = form._('alerts.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
  const text = devices > 0 ? form._('alerts.round', { devices, time }) : form._('alerts.round-any')
  $('#envlog-round').text(text)
}
