import { defineAction } from '../../editor/define-action'
import { prepareOnlyNew, prepareStart } from '../../editor/only-new-form'

export default defineAction('envlog-latest', {
  prepare() {
    prepareStart()
    prepareOnlyNew()
  },
})
