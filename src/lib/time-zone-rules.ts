import type { TimeZoneRules } from '../shared/admin'

/** The rules of time zones that a process with these versions uses. */
export function timeZoneRulesOf({ tz, node }: NodeJS.ProcessVersions): TimeZoneRules {
  return { rules: tz ?? null, node }
}
