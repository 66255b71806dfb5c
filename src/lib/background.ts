let handleError: (error: unknown) => void = () => {}

/** Sets the process-wide handler for unexpected errors of work that is not awaited. */
export function onBackgroundError(handler: (error: unknown) => void): void {
  handleError = handler
}

/**
 * Starts work that is not awaited. Expected errors are handled by the work itself; all others are reported and must not
 * end the process.
 */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => handleError(error))
}
