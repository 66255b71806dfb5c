/** Points of a chart: the period has as many slots. */
export const MAX_POINTS = 360
/** Listed excursions of a channel. The others are counted. */
export const MAX_EXCURSIONS = 100
/** Listed gaps of a channel. The others are counted. */
export const MAX_GAPS = 10
