import { present } from '../../../../base/json.ts';
import { dialledUrl } from '../../../../domain/identity.ts';
import type { Exposed } from '../../../../domain/observation.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../../statements.ts';
import { createMentionReader } from './mention-facts.ts';

/** Reads the URL to dial for an agent, by the one rule (`dialledUrl`); its canonical URL for one never heard of. */
export function createDialledReader(store: SqlStore): (agent: string) => SqlTask<string> {
  const select = prepare(store, spellingsOf);
  const readMentions = createMentionReader(store);
  return function* (agent) {
    const row = yield* select.first({ agent });
    if (row === undefined) return agent;
    const known = { agent, ...present({ registeredUrl: row.registered_url, sourceUrl: row.url }) };
    const exposed = parsed<Exposed>(row.exposed);
    const said = row.mention_count ? yield* readMentions(agent, exposed) : NO_MENTIONS;
    return dialledUrl({ ...known, ...said, ...(exposed && { lastGood: { exposed } }) });
  };
}

const NO_MENTIONS = { mentions: [], operatorDeclarers: [] };

function spellingsOf(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('source')
    .leftJoin('registration', 'registration.agent', 'source.key')
    .leftJoin('agent', 'agent.agent', 'source.key')
    .leftJoin('exposed', 'exposed.hash', 'agent.good_exposed')
    .select(['source.url', 'registration.url as registered_url', 'agent.mention_count'])
    .select('exposed.value as exposed')
    .where('source.kind', '=', 'agent')
    .where('source.key', '=', param('agent'));
}
