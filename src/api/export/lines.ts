import { yieldToEventLoop } from '../../base/event-loop.ts';
import { isReadLongAgo } from '../../discovery/schedule.ts';
import {
  COPY_VERSION,
  type CopyEnd,
  type CopyLine,
  contentLine,
  publisherHead,
} from '../../domain/copy-lines.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { CopiedContent, CopiedPublisher } from '../../records/agents/copies.ts';
import { agentCard } from '../operations/feed/events.ts';
import { feedCursor } from '../operations/feed/position.ts';

const AGENTS_AT_ONCE = 100;

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
    else if (line.kind === 'publisher') told.publishers += 1;
    if (line.kind === 'publisher' || line.kind === 'continuation') told.entries += line.entries.length;
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
    await yieldToEventLoop();
  }
  for (let after = ''; ; ) {
    const publishers = await copies.publishersBehind(after);
    for (const one of publishers) yield* publisherLines(one, copies, clock.now());
    const last = publishers.at(-1);
    if (last === undefined) break;
    after = last.publisher;
    await yieldToEventLoop();
  }
}

type Contents = Pick<Records['copies'], 'contentOf'>;

/** What a copy keeps of a publisher, on one line; a long one goes on in the next ones. */
async function* publisherLines(
  publisher: CopiedPublisher,
  copies: Contents,
  now: number,
): AsyncGenerator<CopyLine> {
  const head = headOf(publisher, now);
  if (publisher.content !== undefined) return yield { ...head, ...contentLine(publisher.content) };
  const { publisher_domain } = head;
  let line: CopyLine = { ...head, ...contentLine(NOTHING) };
  for await (const piece of copies.contentOf(publisher.publisher)) {
    yield { ...line, continued: true };
    line = { kind: 'continuation', publisher_domain, ...contentLine(piece) };
    await yieldToEventLoop();
  }
  yield line;
}

const NOTHING: CopiedContent = { properties: [], entries: [] };

/** The same as one JSON text, piece by piece, so that a long one needs no room. */
export async function* publisherTexts(
  publisher: CopiedPublisher,
  copies: Contents,
  now: number,
): AsyncGenerator<string> {
  let before = `${JSON.stringify(headOf(publisher, now)).slice(0, -1)},"entries":[`;
  let isOfEntries = true;
  for await (const piece of copies.contentOf(publisher.publisher)) {
    const { entries, properties } = contentLine(piece);
    if (isOfEntries && properties.length > 0) {
      before = before.replace(/^,$/, '') + BETWEEN;
      isOfEntries = false;
    }
    yield before + JSON.stringify(isOfEntries ? entries : properties).slice(1, -1);
    before = ',';
    await yieldToEventLoop();
  }
  yield `${before.replace(/^,$/, '')}${isOfEntries ? BETWEEN : ''}]}`;
}

const BETWEEN = '],"properties":[';

/** `now` decides whether its file was read too long ago. */
function headOf({ source, publisher, url }: CopiedPublisher, now: number) {
  return publisherHead({ publisher, url, stale: isReadLongAgo(source, now) });
}
