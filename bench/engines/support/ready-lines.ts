import { storedDocument } from '../../../src/index/opensearch/document.ts';
import type { Records } from '../../../src/ports/records.ts';

/** As many as the product copies at once. */
const PAGE = 1_000;

/** All listed documents of the records as bulk requests, without versions. */
export async function* readyLines({ agents }: Pick<Records, 'agents'>): AsyncGenerator<Buffer> {
  for (let after: string | undefined; ; ) {
    const page = await agents.listed(after, PAGE);
    after = page.at(-1)?.agent;
    if (after === undefined) return;
    const lines = page.map(
      (saved) =>
        `${JSON.stringify({ index: { _id: saved.agent } })}\n${JSON.stringify(storedDocument(saved))}\n`,
    );
    yield Buffer.from(lines.join(''));
  }
}
