import type { Selectable } from 'kysely';
import type { Mention } from '../../domain/declared-facts.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { brandHostsOf, operatorNamesOf } from '../../domain/identity.ts';
import type { Exposed } from '../../domain/observation.ts';
import type { MentionTable } from '../schema-crawl.ts';
import { type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { seenMention } from '../visits/mention-rows.ts';

/** Brand mentions that one agent's facts hold at most. */
const MAX_MENTIONS = 100;

type Row = Selectable<MentionTable>;

interface BrandMentions {
  readonly mentions: readonly Mention[];
  readonly operatorDeclarers: readonly string[];
}

/**
 * Live brand.json entries about an agent: the file of its registrable domain first, then the one on its host, then the one
 * that it points back to, then the others of its registrable domain, then the rest by declarer. So no number of strangers
 * hides whoever has a say.
 */
export function createMentionReader(
  store: SqlStore,
): (agent: string, exposed: Exposed | undefined) => SqlTask<BrandMentions> {
  const selectFirst = prepare(store, firstMentions);
  const selectOf = prepare(store, mentionsOf);
  const selectOperator = prepare(store, operatorOf);
  return function* (agent, exposed) {
    const host = new URL(agent).hostname;
    const houses = brandHostsOf(exposed);
    const domain = registrableDomain(host);
    const declarers = new Set([domain, host, ...houses]);
    const first = yield* together(
      [...declarers].map((declarer) =>
        selectOf.all({ agent, own: registrableDomain(declarer) === domain ? 1 : 0, declarer }),
      ),
    );
    const ordered = yield* selectFirst.all({ agent });
    const distinct = new Map([...first.flat(), ...ordered].map((row) => [row.id, row]));
    const named = yield* together(
      houses.flatMap((house) =>
        operatorNamesOf(agent).map((operator) => selectOperator.all({ house, operator })),
      ),
    );
    return {
      mentions: [...distinct.values()].slice(0, MAX_MENTIONS).map(mention),
      operatorDeclarers: [...new Set(named.flat().map(({ house }) => house))],
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

function mentionsOf(param: Param<{ agent: string; own: number; declarer: string }>) {
  return liveBrandMentions()
    .where('mention.agent', '=', param('agent'))
    .where('mention.own', '=', param('own'))
    .where('mention.declarer', '=', param('declarer'))
    .orderBy('mention.id')
    .limit(MAX_MENTIONS);
}

function operatorOf(param: Param<{ house: string; operator: string }>) {
  return sql
    .selectFrom('operator')
    .select('house')
    .where('house', '=', param('house'))
    .where('operator', '=', param('operator'));
}
