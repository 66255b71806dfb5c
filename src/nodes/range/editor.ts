import { defineAction } from '../../editor/define-action'
import { findPeriodProblem, preparePeriod } from '../../editor/period-field'

export default defineAction('envlog-range', {
  prepare: preparePeriod,
  findProblem: { from: findPeriodProblem, to: findPeriodProblem },
})
