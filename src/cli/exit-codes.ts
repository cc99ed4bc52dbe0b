import type { JudgedStatus, RunOutcome } from '../domain/judged-run.ts';

/** Exit codes of all commands. The table for tests of agents is in docs/reference/compliance.md, Exit codes. */
export const EXIT = {
  ok: 0,
  /** Findings that are errors, a failed domain that was the only one, too many failed, or an agent that is not passing. */
  findings: 1,
  usage: 2,
  /** Our own store, index or queue cannot be used. */
  store: 3,
  /** The agent that was called gave no answer of the protocol. */
  unanswered: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for a finished run: 0 only when its verdict is `passing`, whatever part of the storyboards was selected. */
export function exitCodeOfRun({ outcome }: { readonly outcome: RunOutcome }, status: JudgedStatus): ExitCode {
  if (outcome === 'unreachable') return EXIT.unanswered;
  return status === 'passing' ? EXIT.ok : EXIT.findings;
}
