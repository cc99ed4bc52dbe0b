import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import type { ReferenceAgent } from '../reference/handler.ts';
import { rightsOf } from '../reference/rights/find-right.ts';
import type { SandboxRight } from '../reference/rights/right-table.ts';
import { objects, type Talk, type TaskDialect, withItems, without } from './wire.ts';

/** What a kind of right may be used for there. */
const KINDS: Readonly<Record<SandboxRight['type'], readonly string[]>> = {
  talent: ['likeness', 'commercial'],
  voice: ['voice', 'commercial'],
  music: ['sync', 'background_music', 'commercial'],
  artwork: ['editorial', 'commercial'],
  character: ['likeness', 'commercial'],
};

/** Every use that the public protocol has a name for here. */
const USES = new Set(Object.values(KINDS).flat());

export const brandDialect: Readonly<Record<string, TaskDialect>> = {
  get_brand_identity: {
    request: ({ use_case: _use, ...request }) => ({ ...request, ...fieldsOf(request) }),
    answer: (answer) => withItems(answer, 'logos', publicLogo),
  },
  get_rights: { request: rightsRequest, answer: rightsAnswer },
  acquire_rights: { request: licenceRequest, answer: licenceAnswer },
};

/** What a logo stands on is named after it; anything else is left out. */
function publicLogo({ background, ...logo }: JsonObject): JsonObject {
  const named = ['dark', 'light', 'transparent'].includes(String(background));
  return named ? { ...logo, background: `${background}-bg` } : logo;
}

function fieldsOf({ fields }: JsonObject): JsonObject {
  const ours = ['description', 'logos', 'colors', 'visual_guidelines', 'tone', 'tagline', 'names', 'house'];
  if (!Array.isArray(fields)) return {};
  return { fields: [...fields.filter((field) => ours.includes(String(field))), 'names', 'house'] };
}

/** Uses of the public list are held against what each right is, in the answer. */
function rightsRequest(request: JsonObject): JsonObject {
  const { uses } = request;
  const own = Array.isArray(uses) ? uses.filter((use) => !USES.has(String(use))) : [];
  return { ...without(request, 'uses', 'brand_id', 'buyer_brand'), ...(own.length > 0 && { uses: own }) };
}

function rightsAnswer(answer: JsonObject, { uses }: JsonObject, talk: Talk): JsonObject {
  const asked = Array.isArray(uses) ? uses.filter((use) => USES.has(String(use))) : [];
  const rights = objects(answer.rights).map((one) => publicRight(one, talk));
  const suits = (one: JsonObject) =>
    asked.every((use) => (one.available_uses as readonly unknown[]).includes(use));
  return {
    ...answer,
    rights: rights.filter(suits),
    excluded: [
      ...objects(answer.excluded).map((one) => ({ brand_id: ownerOf(talk), ...one })),
      ...rights
        .filter((one) => !suits(one))
        .map((one) => ({
          rights_id: one.rights_id,
          brand_id: ownerOf(talk),
          reason: 'not available for this use',
        })),
    ],
  };
}

/** Who deals in rights. */
interface Dealer {
  readonly agent: Pick<ReferenceAgent, 'spec'>;
}

/** The office deals for everybody whose right it is; it has no brand of its own. */
function ownerOf({ agent }: Dealer): string {
  return agent.spec.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}

function publicRight(right: JsonObject, talk: Talk): JsonObject {
  const kind = KINDS[right.rights_type as SandboxRight['type']] ?? KINDS.artwork;
  return {
    ...right,
    brand_id: ownerOf(talk),
    available_uses: kind,
    pricing_options: objects(right.pricing_options).map((option) => ({
      ...option,
      uses: kind,
      ...(option.model === 'flat_rate' && { period: 'monthly' }),
    })),
  };
}

function licenceRequest(request: JsonObject, talk: Talk): JsonObject {
  const { campaign, rights_id: id, revocation_webhook: revoked } = request;
  const kind = rightsOf(talk.agent.spec).find((right) => right.id === id)?.type;
  const own = without(request, 'buyer', 'revocation_webhook');
  return {
    ...own,
    ...(isObject(campaign) && {
      campaign: ownCampaign(campaign, kind === undefined ? [] : KINDS[kind]),
    }),
    ...(request.push_notification_config === undefined &&
      isObject(revoked) && { push_notification_config: revoked }),
  };
}

/** Uses that the right is there for are all that it has; another one is refused by its name. */
function ownCampaign(campaign: JsonObject, known: readonly string[]): JsonObject {
  const { uses, start_date: start, end_date: end } = campaign;
  const other = Array.isArray(uses) ? uses.filter((use) => !known.includes(String(use))) : [];
  return {
    ...without(campaign, 'uses'),
    ...(other.length > 0 && { uses: other }),
    ...(typeof start === 'string' &&
      typeof end === 'string' &&
      campaign.period === undefined && { period: { start: `${start}T23:59:59Z`, end: `${end}T23:59:59Z` } }),
  };
}

/** What `acquire_rights` answers there, and the webhook about it says later. */
export function licenceAnswer(answer: JsonObject, request: JsonObject, talk: Dealer): JsonObject {
  const right = rightsOf(talk.agent.spec).find(({ id }) => id === answer.rights_id);
  const terms = isObject(answer.terms) ? answer.terms : {};
  const [period, price] = [
    isObject(terms.period) ? terms.period : {},
    isObject(terms.price) ? terms.price : {},
  ];
  const uses = KINDS[right?.type ?? 'artwork'];
  const shown = { ...answer, brand_id: ownerOf(talk) };
  if (answer.status !== 'acquired') return shown;
  return {
    ...shown,
    terms: {
      ...without(terms, 'period'),
      pricing_option_id: request.pricing_option_id ?? right?.pricing[0]?.pricing_option_id,
      amount: price.amount,
      currency: price.currency,
      uses,
      start_date: String(period.start).slice(0, 10),
      end_date: String(period.end).slice(0, 10),
    },
    generation_credentials: [],
    rights_constraint: {
      rights_id: answer.rights_id,
      rights_agent: { url: talk.agent.spec.url, id: ownerOf(talk) },
      uses,
      valid_from: period.start,
      valid_until: period.end,
    },
  };
}
