import { member } from '../base/json.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { SeenOver } from '../probe/exam.ts';
import type { SeenKeys } from '../probe/judgements.ts';
import type { PublishedKeyDirectory } from '../signing/agent-keys.ts';
import { usableKeys } from '../signing/usable-keys.ts';

const MAX_URL = 2_048;

/** The keys of an agent that was examined, found as a verifier would find them. */
export async function keysSeen(
  directory: Pick<PublishedKeyDirectory, 'publishedBy'>,
  url: string,
  seen: readonly SeenOver[],
): Promise<SeenKeys> {
  if (seen.every(({ failure }) => failure !== undefined))
    return { reason: 'nobody answered, so none were looked for' };
  const found = await directory.publishedBy({ url, brandJsonUrl: brandJsonUrlOf(url, seen) });
  return 'reason' in found ? found : usableKeys(found.set);
}

/** The one that the capabilities name, else that of the agent's own domain. */
function brandJsonUrlOf(url: string, seen: readonly SeenOver[]): string {
  const named = seen
    .map(({ capabilities: told }) =>
      told?.outcome === 'answered' ? member(told.data, 'identity') : undefined,
    )
    .map((identity) => member(identity, 'brand_json_url'))
    .find((one) => typeof one === 'string' && one.length <= MAX_URL && one.startsWith('https://'));
  if (typeof named === 'string' && URL.canParse(named)) return named;
  return `https://${registrableDomain(new URL(url).hostname)}/.well-known/brand.json`;
}
