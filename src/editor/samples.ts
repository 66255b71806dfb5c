/** JSON text that the build inserts (scripts/samples.ts). */
declare const ENVLOG_SAMPLES: string

/** The example messages, by type, output, send, and a unit or language. */
export const readSamples = (): Record<string, object> => JSON.parse(ENVLOG_SAMPLES)
