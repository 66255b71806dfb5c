/** An option that cannot be: told to whoever gave it. */
export class OptionError extends Error {}
