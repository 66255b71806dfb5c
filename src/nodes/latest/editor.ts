import { defineAction } from '../../editor/define-action'
import { prepareOnlyNew } from '../../editor/only-new-form'

export default defineAction('envlog-latest', { prepare: (form) => prepareOnlyNew(form, { withTime: true }) })
