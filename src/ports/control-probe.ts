/**
 * Tells whether our own way to the network works, asked when an agent cannot be reached: false when the fault is ours.
 * The agent's own sites are not asked. Never rejects.
 */
export type ControlProbe = (agent: string) => Promise<boolean>;
