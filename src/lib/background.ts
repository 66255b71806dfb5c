let report: (error: unknown) => void = () => {}

/** Who is told of errors that nobody foresaw, in work that nobody waits for: one for the process. */
export function reportTo(told: (error: unknown) => void): void {
  report = told
}

/** Work that nobody waits for. It handles what may go wrong; what it throws all the same must not end the process. */
export function inBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => report(error))
}
