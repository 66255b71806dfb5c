import type { AccountReport } from '../shared/admin'
import { readOpenAccount } from './account-draft'
import { requestAdmin } from './admin-request'
import type { Form } from './red'

/** Releases the resources of the last report. */
let release = () => {}

/**
 * The account's *Report…*: the service's responses without names, serial numbers and credentials, shown before they are
 * copied or saved.
 * @param addLine shows a line of the test
 * @param isComplete whether the fields are valid; if not, shows the problems
 */
export function prepareReport(
  form: Form,
  addLine: (icon: string, text: string) => void,
  clear: () => void,
  isComplete: () => boolean,
): void {
  const button = $('#envlog-report')
  const preview = $('#envlog-report-preview').hide()
  const text = $('#envlog-report-text')
  const copied = $('#envlog-report-copied')

  async function request(): Promise<void> {
    preview.hide()
    clear()
    if (!isComplete()) return
    button.prop('disabled', true)
    addLine('fa-spinner fa-pulse', form._('account.test-asking'))
    try {
      const { report } = await requestAdmin<AccountReport>('report', { account: readOpenAccount(form.id) })
      clear()
      show(JSON.stringify(report, null, 1))
    } catch (error) {
      clear()
      addLine('fa-times', (error as Error).message)
    } finally {
      button.prop('disabled', false)
    }
  }

  function show(json: string): void {
    release()
    const url = URL.createObjectURL(new Blob([`${json}\n`], { type: 'application/json' }))
    release = () => URL.revokeObjectURL(url)
    text.val(json)
    copied.text('')
    $('#envlog-report-save').attr('href', url)
    preview.show()
  }

  function copy(): void {
    text.trigger('select')
    // Pages without TLS have no other clipboard.
    const isCopied = document.execCommand('copy')
    copied.text(isCopied ? form._('account.report-copied') : '')
  }

  button.on('click', () => void request())
  $('#envlog-report-copy').on('click', copy)
}

/** Call this when the form is closed. */
export function releaseReport(): void {
  release()
  release = () => {}
}
