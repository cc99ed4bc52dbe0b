import type { Collection } from '@agent-registry/surface/agent-kit';
import type { BuyerScope } from './buyer-scope.ts';
import { isFinal } from './life.ts';
import type { StoredMediaBuy } from './stored.ts';

/** Which media buys that can still run use a creative; the key is a list of both ids, the creative's first. */
const USES = 'creative_uses';

const PAGE = 200;

function usesOf({ agent, owner }: BuyerScope): Collection<true> {
  return agent.state.collection<true>(USES, owner);
}

/** Keeps the register in step with a buy that is being kept. */
export function noteUses(scope: BuyerScope, before: StoredMediaBuy | undefined, after: StoredMediaBuy): void {
  const old = before === undefined ? new Set<string>() : creativesOf(before);
  const now = creativesOf(after);
  const uses = usesOf(scope);
  for (const id of now) if (!old.has(id)) uses.put(keyOf(id, after.mediaBuyId), true);
  for (const id of old) if (!now.has(id)) uses.delete(keyOf(id, after.mediaBuyId));
}

/** The ids of the buyer's media buys that use a creative and can still run. */
export function buysUsing(scope: BuyerScope, creativeId: string): readonly string[] {
  const prefix = `[${JSON.stringify(creativeId)},`;
  const found: string[] = [];
  for (let after = prefix; ; ) {
    const page = usesOf(scope).list({ after, limit: PAGE });
    const keys = page.map(({ key }) => key).filter((key) => key.startsWith(prefix));
    found.push(...keys.map((key) => (JSON.parse(key) as [string, string])[1]));
    if (keys.length < PAGE) return found;
    after = keys.at(-1) as string;
  }
}

function creativesOf(buy: StoredMediaBuy): Set<string> {
  if (isFinal(buy.status)) return new Set();
  return new Set(buy.packages.flatMap((part) => part.assignments.map(({ creativeId }) => creativeId)));
}

function keyOf(creativeId: string, mediaBuyId: string): string {
  return JSON.stringify([creativeId, mediaBuyId]);
}
