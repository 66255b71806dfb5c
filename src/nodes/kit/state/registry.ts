import { systemClock } from '../../../lib/clock'
import { createRegistry } from '../../../lib/registry'

/** What outlives deploys: one for the process. */
export const registry = createRegistry(systemClock)
