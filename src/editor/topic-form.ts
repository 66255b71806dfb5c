import { TOPIC_PLACEHOLDERS } from '../shared/outputs'
import { translate } from './red'

/** Offers the placeholders for a topic. A click inserts one at the cursor. */
export function prepareTopic(): void {
  const field = $('#node-input-topic')
  const input = field[0] as HTMLInputElement

  const insert = (text: string) => {
    const { selectionStart, selectionEnd, value } = input
    input.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end')
    field.trigger('change').trigger('focus')
  }
  const buttons = TOPIC_PLACEHOLDERS.map((name) =>
    $('<button type="button" class="red-ui-button red-ui-button-small">')
      .text(`{${name}}`)
      .attr('title', translate(`placeholder.${name}`))
      .on('click', () => insert(`{${name}}`)),
  )
  $('#envlog-placeholders').append(buttons)
}
