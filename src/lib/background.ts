let handleError: (error: unknown) => void = () => {}

/** Sets the one handler of the process for unexpected errors of work that is not awaited. */
export function onBackgroundError(handler: (error: unknown) => void): void {
  handleError = handler
}

/** Starts work that is not awaited. It handles its own errors; others are reported and must not end the process. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => handleError(error))
}
