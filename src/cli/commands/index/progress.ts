import { countedAgents, note, pace } from '../../output/print.ts';

/** On a terminal, the line is rewritten this often. Otherwise a new line follows after this time, or after a tenth of the agents. */
const REWRITE_MS = 200;
const NEW_LINE_MS = 5_000;
const NEW_LINES = 10;
const CLEAR_LINE = '\r\u001b[K';

export interface ShownCopy {
  update(copied: number, total: number): void;
  /** Ends the last line. */
  end(): void;
}

interface CopyScreen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows the progress of a copy on stderr: the percentage, the rate since it began, and the remaining time at this rate. The first
 * update sets the beginning and shows nothing. `now` returns milliseconds.
 */
export function showCopy(
  screen: CopyScreen = process.stderr,
  now: () => number = () => performance.now(),
): ShownCopy {
  const isTerminal = screen.isTTY === true;
  let start: { readonly at: number; readonly copied: number } | undefined;
  let shown = { at: 0, copied: 0 };
  let isOpen = false;
  const isDue = (at: number, copied: number, total: number) =>
    isTerminal
      ? at - shown.at >= REWRITE_MS
      : at - shown.at >= NEW_LINE_MS || (copied - shown.copied) * NEW_LINES >= total;
  return {
    update(copied, total) {
      const at = now();
      if (start === undefined) {
        start = { at, copied };
        shown = start;
        return;
      }
      if (copied === shown.copied || (copied < total && !isDue(at, copied, total))) return;
      shown = { at, copied };
      const line = copyLine(copied, total, copied - start.copied, at - start.at);
      screen.write(isTerminal ? CLEAR_LINE + line : `${line}\n`);
      isOpen = isTerminal;
    },
    end() {
      if (isOpen) screen.write('\n');
      isOpen = false;
    },
  };
}

/** `since` agents were copied in `tookMs`. */
function copyLine(copied: number, total: number, since: number, tookMs: number): string {
  const share = total === 0 ? 100 : Math.floor((copied / total) * 100);
  const head = `${copied.toLocaleString('en-GB')} of ${countedAgents(total)} copied (${share} %)`;
  return head + pace(since, tookMs, total - copied);
}

const STEP_NOTES = {
  'catch up': 'applying the change log',
  compare: 'comparing with the live generation',
  switch: 'switching',
} as const;

/** Prints a line on stderr for each of the longer steps, once. */
export function noteSteps(): (step: string) => void {
  const noted = new Set<string>();
  return (step) => {
    if (step in STEP_NOTES && !noted.has(step)) note(STEP_NOTES[step as keyof typeof STEP_NOTES]);
    noted.add(step);
  };
}
