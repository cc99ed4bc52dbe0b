import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { hasErrors } from '../../../domain/finding.ts';
import { counted, note } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';

const MAX_FINDINGS = 40;

/** What is wrong in the files of a bundle, on stderr: a file with errors is not run. */
export function printBundleFindings({ findings }: Bundle): void {
  const all = findings.flatMap(({ file, findings: found }) => found.map((finding) => ({ file, ...finding })));
  // what many files have is told where it stands first
  const lines = [...Map.groupBy(all, ({ message }) => message).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { file, severity, line = 1, column = 1, message, hint } = first;
    const many = more.length === 0 ? '' : ` (and ${counted(more.length, 'more place')})`;
    return `${shownText(file)}:${line}:${column}  ${severity}: ${shownText(message)}${hint === undefined ? '' : `; ${shownText(hint)}`}${many}`;
  });
  for (const line of lines.slice(0, MAX_FINDINGS)) note(line);
  if (lines.length > MAX_FINDINGS) note(`… and ${lines.length - MAX_FINDINGS} more findings`);
  const left = findings.filter((one) => hasErrors(one.findings)).length;
  if (left > 0) note(`${left} of the files cannot be run`);
}
