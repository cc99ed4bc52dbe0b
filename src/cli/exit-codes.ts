/** What the command's exit tells a script. */
export const EXIT = {
  ok: 0,
  /** Findings that are errors, a failed domain that was the only one, or too many failed. */
  findings: 1,
  usage: 2,
  /** Our own store, index or queue cannot be used. */
  store: 3,
  /** The agent that was called gave no answer of the protocol. */
  unanswered: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
