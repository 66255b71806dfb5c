/**
 * A typed number as the schemas read it: full-width digits, the minus sign − and one decimal comma become *-5.5*. A comma
 * before three digits stays, because it may separate thousands; other texts stay as they are.
 */
export const toNumberText = (typed: string): string =>
  typed
    .normalize('NFKC')
    .trim()
    .replace(/^\u2212/, '-')
    .replace(/^(-?\d+),(\d{1,2}|\d{4,})$/, '$1.$2')
