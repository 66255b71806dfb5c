let handleError: (error: unknown) => void = () => {}

/** Sets the one handler of the process for unexpected errors of work that nobody awaits. */
export function onBackgroundError(handler: (error: unknown) => void): void {
  handleError = handler
}

/** Starts work that nobody awaits. It handles its errors itself; any other is reported and must not end the process. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => handleError(error))
}
