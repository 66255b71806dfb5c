import { defineAction } from '../../editor/define-action'
import { prepareOnlyNew } from '../../editor/only-new-form'

export default defineAction('envlog-alerts', { prepare: prepareOnlyNew })
