import type { Selectable } from 'kysely';
import type { Mention } from '../../../../domain/declared-facts.ts';
import { registrableDomain } from '../../../../domain/domain-name.ts';
import type { MentionTable } from '../../schema.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { seenMention } from '../visits/mention-rows.ts';

/** Brand mentions that one agent's facts hold at most. */
const MAX_MENTIONS = 100;

type Row = Selectable<MentionTable>;

interface BrandMentions {
  readonly mentions: readonly Mention[];
  readonly operatorDeclarers: readonly string[];
}

/**
 * Live brand.json entries about an agent: those on its own registrable domain first (the file of that very domain, then
 * the one on the agent's host, then the others by name, so that no tenant overrules the owner), then those of houses
 * whose `authorized_operators` name that domain, then the rest by declarer.
 */
export function createMentionReader(store: SqlStore): (agent: string) => SqlTask<BrandMentions> {
  const selectFirst = prepare(store, firstMentions);
  const selectOf = prepare(store, mentionsOf);
  const selectAuthorised = prepare(store, authorisedMentions);
  return function* (agent) {
    const host = new URL(agent).hostname;
    const operator = registrableDomain(host);
    const authorised = yield* selectAuthorised.all({ agent, operator });
    const ordered = yield* selectFirst.all({ agent });
    const own = ordered.filter((row) => row.own === 1);
    const owners = [operator, host].map((declarer) => selectOf.all({ agent, declarer }));
    const first = (yield* together(owners)).flat();
    const distinct = new Map([...first, ...own, ...authorised, ...ordered].map((row) => [row.id, row]));
    const kept = [...distinct.values()].slice(0, MAX_MENTIONS);
    const houses = new Set(authorised.map((row) => row.declarer));
    const declarers = new Set(kept.map((row) => row.declarer));
    return {
      mentions: kept.map(mention),
      operatorDeclarers: [...houses].filter((house) => declarers.has(house)),
    };
  };
}

function mention(row: Row): Mention {
  const { seenFrom: _from, seenUntil: _until, ...said } = seenMention(row);
  return said;
}

function liveBrandMentions() {
  return sql
    .selectFrom('mention')
    .selectAll('mention')
    .where('mention.file', '=', 'brand')
    .where('mention.seen_until', 'is', null);
}

function firstMentions(param: Param<{ agent: string }>) {
  return liveBrandMentions()
    .where('mention.agent', '=', param('agent'))
    .orderBy('mention.own', 'desc')
    .orderBy('mention.declarer')
    .orderBy('mention.id')
    .limit(MAX_MENTIONS);
}

function mentionsOf(param: Param<{ agent: string; declarer: string }>) {
  return liveBrandMentions()
    .where('mention.agent', '=', param('agent'))
    .where('mention.own', '=', 1)
    .where('mention.declarer', '=', param('declarer'))
    .orderBy('mention.id')
    .limit(MAX_MENTIONS);
}

function authorisedMentions(param: Param<{ agent: string; operator: string }>) {
  return liveBrandMentions()
    .innerJoin('operator', (join) =>
      join.onRef('operator.house', '=', 'mention.declarer').on('operator.operator', '=', param('operator')),
    )
    .where('mention.agent', '=', param('agent'))
    .orderBy('mention.declarer')
    .orderBy('mention.id')
    .limit(MAX_MENTIONS);
}
