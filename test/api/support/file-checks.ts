import { checkBytes, checkDomain } from '../../../src/discovery/check-file.ts';
import { type FileChecks, type FileQuestion, reportOf } from '../../../src/discovery/file-checks.ts';
import type { Fetcher } from '../../../src/ports/fetcher.ts';

/** Checks in this thread, with what was asked. */
export function checksOver(fetcher: Fetcher): FileChecks & { readonly asked: FileQuestion[] } {
  const asked: FileQuestion[] = [];
  return {
    asked,
    async check(question) {
      asked.push(question);
      const { kind, domain = '', text } = question;
      const now = Date.now();
      if (text !== undefined)
        return reportOf(checkBytes(Buffer.from(text), { ...(kind && { kind }), now }), question);
      const asDomain = { fetcher, kind: kind ?? 'adagents', domain, now, deadlineMs: 15_000 } as const;
      return reportOf(await checkDomain(asDomain), question);
    },
    close: async () => {},
  };
}
