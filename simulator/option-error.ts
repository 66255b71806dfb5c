/** Reports an invalid option. The message is for the user. */
export class OptionError extends Error {}
