/** An option is invalid; the message is for the user. */
export class OptionError extends Error {}
