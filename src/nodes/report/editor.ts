import { ActionForm } from '../../editor/action-form'
import { defineNode } from '../../editor/define-node'
import { fillMissing } from '../../editor/fields'
import { findPeriodProblem, preparePeriod } from '../../editor/period-field'
import { findInvalid, propertiesOf, showUsed } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { ReportPreview } from '../../editor/report-preview'
import { reportSchema } from '../../shared/report-schema'

const properties = propertiesOf(reportSchema, { from: findPeriodProblem, to: findPeriodProblem })

/** Node-RED shows only one node's form at a time. */
let open: ActionForm | undefined

const definition = defineNode('envlog-report', properties)

export default {
  ...definition,
  defaults: {
    ...definition.defaults,
    // A report without limits is complete.
    limits: { value: '', type: 'envlog-limits', required: false, label: translate('limits.rows') },
  },
  inputLabels: () => translate('report.input'),
  outputLabels: (index: number) => translate(index === 0 ? 'report.output-page' : 'report.output-table'),
  oneditprepare(this: Form) {
    fillMissing(this, properties)
    preparePeriod(this)
    // Node-RED has replaced this field by a list.
    $('#node-input-limits').attr('aria-description', translate('report.hint-limits'))
    open = new ActionForm(
      this,
      (parts) => new ReportPreview(parts, (config) => findInvalid(properties, this, config)),
    )
    showUsed(this, reportSchema)
  },
  oneditsave: () => open?.save(),
}
