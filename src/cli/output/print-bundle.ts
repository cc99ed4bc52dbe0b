import type { Bundle } from '../../compliance/storyboards/bundle.ts';
import { hasErrors } from '../../domain/finding.ts';
import { note } from './print.ts';
import { shownText } from './show-value.ts';

const MAX_LINES = 40;

/** What is wrong in the files of a bundle, on stderr: a file with errors is not run. */
export function printBundleFindings({ findings }: Bundle): void {
  const lines = findings.flatMap(({ file, findings: found }) =>
    found.flatMap(({ severity, line = 1, column = 1, message, hint }) => [
      `${shownText(file)}:${line}:${column}  ${severity}: ${shownText(message)}${hint === undefined ? '' : `; ${shownText(hint)}`}`,
    ]),
  );
  for (const line of lines.slice(0, MAX_LINES)) note(line);
  if (lines.length > MAX_LINES) note(`… and ${lines.length - MAX_LINES} more findings`);
  const left = findings.filter((one) => hasErrors(one.findings)).length;
  if (left > 0) note(`${left} of the files cannot be run`);
}
