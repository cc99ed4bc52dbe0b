import { isReadLongAgo } from '../../discovery/schedule.ts';
import {
  COPY_VERSION,
  type CopyEnd,
  type CopyLine,
  type PublisherLine,
  publisherLine,
} from '../../domain/copy-lines.ts';
import type { CopiedPublisher } from '../../ports/authorisations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { letOthersIn } from '../list-cache.ts';
import { agentCard } from '../operations/feed/events.ts';
import { feedCursor } from '../operations/feed/position.ts';

const AGENTS_AT_ONCE = 100;
/** Characters of a line; only one entry or property that is longer makes a longer one. */
const LINE_CHARACTERS = 1024 * 1024;

export interface ExportParts {
  readonly records: Pick<Records, 'agents' | 'edgeLog' | 'copies'>;
  readonly clock: Clock;
  /** Signs the cursors. */
  readonly cursorSecret: Uint8Array;
}

/** The cursor with which the feed tells all that changes from now on. */
export async function cursorOfNow({ records, clock, cursorSecret }: ExportParts): Promise<string> {
  const edges = await records.edgeLog.lastEdgeChange();
  const agents = await records.agents.lastSeq();
  return feedCursor({ agents, edges, isFirst: false, at: clock.now() }, cursorSecret);
}

/**
 * The lines of an export, read in many short pieces. What changes meanwhile may be in it or not: the feed tells it once
 * more behind `cursor`, so that whoever follows has the state of one moment.
 */
export async function* exportLines(parts: ExportParts, cursor: string): AsyncGenerator<CopyLine> {
  const { records, clock } = parts;
  const counts = { agents: await records.agents.countListed(), ...(await records.copies.count()) };
  const generated_at = new Date(clock.now()).toISOString();
  yield { kind: 'export', version: COPY_VERSION, cursor, generated_at, counts };
  const told = { agents: 0, publishers: 0, entries: 0 };
  for await (const line of linesOf(parts)) {
    if (line.kind === 'agent') told.agents += 1;
    else if (line.kind === 'publisher') {
      told.publishers += 1;
      told.entries += line.entries.length;
    }
    yield line;
  }
  yield { kind: 'end', counts: told } satisfies CopyEnd;
}

async function* linesOf({ records: { agents, copies }, clock }: ExportParts): AsyncGenerator<CopyLine> {
  for (let after: string | undefined; ; ) {
    const documents = await agents.listed(after, AGENTS_AT_ONCE);
    for (const { agent, document } of documents)
      if (document !== undefined) yield { kind: 'agent', agent_url: agent, ...agentCard(document) };
    after = documents.at(-1)?.agent;
    if (after === undefined) break;
    await letOthersIn();
  }
  for (let after = ''; ; ) {
    const publishers = await copies.publishersBehind(after);
    for (const one of publishers) yield exportedPublisher(one, clock.now());
    const last = publishers.at(-1);
    if (last === undefined) break;
    after = last.publisher;
    await letOthersIn();
  }
}

/** What a copy keeps of a publisher; `now` decides whether its file was read too long ago. */
export function exportedPublisher({ source, ...publisher }: CopiedPublisher, now: number) {
  return publisherLine({ ...publisher, stale: isReadLongAgo(source, now) });
}

/** A line as JSON; a publisher that is longer than a line goes on in the next ones. */
export function* lineTexts(line: CopyLine, most = LINE_CHARACTERS): Generator<string> {
  const text = JSON.stringify(line);
  if (text.length <= most || line.kind !== 'publisher') yield text;
  else yield* continuedTexts(line, most);
}

function* continuedTexts({ properties, entries, ...head }: PublisherLine, most: number): Generator<string> {
  const { publisher_domain } = head;
  let begin: object = head;
  let [some, length] = [{ properties: [] as string[], entries: [] as string[] }, 0];
  const ended = (continued: object) => {
    const [said] = JSON.stringify({ ...begin, ...continued }).split(/}$/);
    begin = { kind: 'continuation', publisher_domain };
    return `${said},"properties":[${some.properties}],"entries":[${some.entries}]}`;
  };
  for (const [list, items] of Object.entries({ entries, properties }))
    for (const item of items) {
      const text = JSON.stringify(item);
      if (length > 0 && length + text.length > most) {
        yield ended({ continued: true });
        [some, length] = [{ properties: [], entries: [] }, 0];
      }
      some[list as keyof typeof some].push(text);
      length += text.length + 1;
    }
  yield ended({});
}
