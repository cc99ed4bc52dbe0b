import { type PublisherName, publisherNames } from '../names.ts';
import type { Random } from '../random.ts';
import { INDIRECT_VARIANTS, networkPlan, networkStandingOf } from './indirect.ts';
import { INLINE_VARIANTS } from './inline.ts';
import { PLAIN_VARIANTS } from './plain.ts';
import type { PublishedPage, PublisherDraft, Variant } from './plan.ts';

const VARIANTS = { ...INLINE_VARIANTS, ...PLAIN_VARIANTS, ...INDIRECT_VARIANTS };

/** The forms in which the sandbox's publishers say who sells for them. */
export type PublisherVariant = keyof typeof VARIANTS;
export const PUBLISHER_VARIANTS = Object.keys(VARIANTS) as readonly PublisherVariant[];

export interface SandboxPublisher {
  readonly domain: string;
  readonly name: string;
  readonly variant: PublisherVariant;
  /** Declared addresses of the agents that an honest registry lists this publisher for. */
  readonly authorises: readonly string[];
}

export interface Publishers {
  readonly publishers: readonly SandboxPublisher[];
  readonly pages: readonly PublishedPage[];
}

/** Agents that publishers may name, as declared. */
export interface AgentPool {
  readonly sales: readonly string[];
  readonly signals: readonly string[];
  /** Agents whose type no file declares: without a publisher, nobody would hear of them. */
  readonly undeclared: readonly string[];
  /** The public key with which an agent signs its webhooks. */
  readonly webhookKeyOf: PublisherDraft['webhookKeyOf'];
}

/** The publisher that names all undeclared agents. */
const NOTICEBOARD: PublisherName = {
  domain: 'noticeboard.example',
  name: 'The Noticeboard',
  type: 'website',
  tags: ['news', 'trade'],
};

/** The noticeboard and `count` publishers, over all variants in turn, and the network that some of them refer to. */
export function createPublishers(random: Random, count: number, pool: AgentPool): Publishers {
  const pages: PublishedPage[] = [];
  const publish = (draft: PublisherDraft, index: number): SandboxPublisher => {
    const variant = PUBLISHER_VARIANTS[index % PUBLISHER_VARIANTS.length] as PublisherVariant;
    const build: Variant = VARIANTS[variant];
    const plan = build(draft);
    pages.push(...plan.pages);
    return { domain: draft.domain, name: draft.name, variant, authorises: plan.authorises };
  };
  const board = { ...draftOf(random.fork(NOTICEBOARD.domain), NOTICEBOARD, pool), sales: pool.undeclared };
  const drafts = publisherNames(random.fork('names'), count).map((name) =>
    draftOf(random.fork(name.domain), name, pool),
  );
  const publishers = [board, ...drafts].map(publish);
  const network = networkPlan(standing(publishers, 'named'), standing(publishers, 'revoked'));
  return { publishers, pages: [...pages, ...network.pages] };
}

function draftOf(random: Random, name: PublisherName, pool: AgentPool): PublisherDraft {
  return {
    ...name,
    random,
    sales: random.shuffled(pool.sales).slice(0, 1 + random.int(3)),
    signals: random.pick(pool.signals),
    webhookKeyOf: pool.webhookKeyOf,
  };
}

function standing(publishers: readonly SandboxPublisher[], wanted: 'named' | 'revoked'): readonly string[] {
  return publishers
    .filter(({ variant }) => networkStandingOf(variant) === wanted)
    .map(({ domain }) => domain);
}
