import { accountSchema } from '../src/shared/account-schema'
import { actionSchemas } from '../src/shared/action-schemas'
import { alarmsSchema } from '../src/shared/alarms-schema'
import { limitsSchema } from '../src/shared/limits-schema'
import { reportSchema } from '../src/shared/report-schema'
import type { Schema } from '../src/shared/schema'

/** The schema of each type of node. */
export const schemas = {
  'envlog-account': accountSchema,
  ...actionSchemas,
  'envlog-limits': limitsSchema,
  'envlog-alarms': alarmsSchema,
  'envlog-report': reportSchema,
} satisfies Record<string, Schema>
