import type { Finding } from '../domain/finding.ts';

/** More would tell nobody more, and a hostile list can hold a hundred thousand faults. */
const MAX_FINDINGS = 100;

/** The findings of one reading, bounded; the last one says that there were more. */
export interface FindingList {
  add(severity: Finding['severity'], code: string, pointer: string, message: string, hint?: string): void;
  list(): readonly Finding[];
}

/** An empty list. */
export function createFindings(): FindingList {
  const found: Finding[] = [];
  return {
    add(severity, code, pointer, message, hint) {
      if (found.length < MAX_FINDINGS) {
        found.push({ severity, code, pointer, message, ...(hint !== undefined && { hint }) });
      } else if (found.length === MAX_FINDINGS) {
        found.push({
          severity: 'warning',
          code: 'more_findings',
          pointer: '',
          message: 'there are more findings',
        });
      }
    },
    list: () => found,
  };
}
