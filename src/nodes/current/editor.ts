import { defineAction } from '../../editor/define-action'

export default defineAction('envlog-current')
