/** How a length of time is written: the key of its text in a catalog, and the numbers in it. */
export interface Duration {
  key: 'minutes' | 'hours' | 'hours-minutes' | 'days' | 'days-hours'
  /** Decides between the forms of a text for one and for others. */
  count?: number
  days?: number
  hours?: number
  minutes?: number
}

/** Splits whole minutes: below two hours into minutes, below two days into hours and minutes, else into days and hours. */
export function splitDuration(minutes: number): Duration {
  if (minutes < 120) return { key: 'minutes', count: minutes, minutes }
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return { key: minutes % 60 === 0 ? 'hours' : 'hours-minutes', hours, minutes: minutes % 60 }
  return { key: hours % 24 === 0 ? 'days' : 'days-hours', days: Math.floor(hours / 24), hours: hours % 24 }
}
