/** The four action nodes, without their prefix `envlog-`. */
export const actions = ['current', 'latest', 'range', 'alerts'] as const
export type ActionName = (typeof actions)[number]

// biome-ignore lint/suspicious/noExplicitAny: messages are whatever a flow makes of them
export type Message = Record<string, any>
