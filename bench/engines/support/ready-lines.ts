import { documentItem } from '../../../src/index/opensearch/bulk-lines.ts';
import type { Records } from '../../../src/ports/records.ts';

/** As many as the product copies at once. */
const PAGE = 1_000;

/** All listed documents of the records as bulk requests, without versions. */
export async function* readyLines({ agents }: Pick<Records, 'agents'>): AsyncGenerator<Buffer> {
  for (let after: string | undefined; ; ) {
    const page = await agents.listed(after, PAGE);
    after = page.at(-1)?.agent;
    if (after === undefined) return;
    const lines = page.map((saved) => {
      const item = documentItem(saved).lines;
      return `${JSON.stringify({ index: { _id: saved.agent } })}${item.slice(item.indexOf('\n'))}`;
    });
    yield Buffer.from(lines.join(''));
  }
}
