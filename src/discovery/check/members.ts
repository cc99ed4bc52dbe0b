import { isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import { isSameWord } from '../../base/near-names.ts';
import type { FileKind } from '../../domain/declaration.ts';
import { ENTRY_MEMBERS, SIMPLE_MEMBERS } from '../read-entry.ts';
import { PROPERTY_MEMBERS } from '../read-property.ts';
import { SELECTOR_MEMBERS } from '../read-scope.ts';

/** The members that an object of a file may have, and what stands inside some of them. */
interface ObjectKind {
  readonly members: readonly string[];
  readonly inside?: Readonly<Record<string, () => ObjectKind>>;
}

/** `read` are those that the reader of the object knows; the format has the others beside them. */
function kind(members: string, inside: ObjectKind['inside'] = {}, read: Iterable<string> = []): ObjectKind {
  const all = [...read, ...members.split(/\s+/).filter(Boolean), ...Object.keys(inside)];
  return { members: [...new Set([...all, 'name', 'description', 'ext', '$comment'])], inside };
}

const TOP = '$schema version last_updated contact authoritative_location';
const CONTACT = kind('email domain seller_id tag_id privacy_policy_url phone website address');
const PROPERTY = kind(
  'domain agents property_rid properties',
  { identifiers: () => kind('type value') },
  PROPERTY_MEMBERS,
);
const SELECTOR = kind('', {}, SELECTOR_MEMBERS);
const KEY = kind('kid kty alg use crv x y n e revoked_at x5c x5t key_ops');
const ENTRY = kind(
  'id type',
  { properties: () => PROPERTY, publisher_properties: () => SELECTOR, signing_keys: () => KEY },
  ENTRY_MEMBERS,
);
const ADAGENTS = kind(
  `${TOP} collections placements formats signals tags placement_tags signal_tags catalog_etag catalog_role property_features`,
  {
    authorized_agents: () => ENTRY,
    properties: () => PROPERTY,
    publisher: () => kind('domain'),
    contact: () => CONTACT,
    agents: () => kind('type id', {}, SIMPLE_MEMBERS),
    revoked_publisher_domains: () => kind('publisher_domain revoked_at reason'),
  },
);
const BRAND_AGENT = kind('type url id jwks_uri scope available_uses right_types countries');
const AGENTS = {
  agents: () => BRAND_AGENT,
  brand_agent: () => BRAND_AGENT,
  identity_agent: () => BRAND_AGENT,
  rights_agent: () => BRAND_AGENT,
};
const A_BRAND = kind(
  `id url names keller_type parent_brand industries target_audience logos logo colors color fonts font tone tagline assets asset
   properties property product_catalog privacy_policy_url data_subject_contestation disclaimers voice_synthesis avatar
   visual_guidelines contact collections house_domain`,
  AGENTS,
);
const BRAND: ObjectKind = kind(
  `${TOP} ${A_BRAND.members.join(' ')} region note trademarks redirect_reason redirect_effective_at`,
  {
    ...AGENTS,
    house: () => kind('domain names architecture contact data_subject_contestation', AGENTS),
    brands: () => A_BRAND,
    brand_refs: () => kind('domain brand_id effective_at'),
    authorized_operators: () => kind('domain brands countries scopes valid_from valid_until'),
  },
);

/** A member that the format does not have at its place. */
export interface StrangeMember {
  readonly pointer: string;
  readonly name: string;
  /** The same word in another notation stands beside it, as the format writes it. */
  readonly isTwin: boolean;
  /** Members that the format has there and the file has not. */
  known(): readonly string[];
}

/** Members that a file has and its format has not, in its order; what is nested in unknown members is passed over. */
export function* strangeMembers(document: JsonObject, file: FileKind): Generator<StrangeMember> {
  yield* strangeIn(document, file === 'adagents' ? ADAGENTS : BRAND, '');
}

function* strangeIn(
  object: JsonObject,
  { members, inside = {} }: ObjectKind,
  pointer: string,
): Generator<StrangeMember> {
  for (const name of Object.keys(object)) {
    const place = pointerTo(pointer, name);
    const within = Object.hasOwn(inside, name) ? inside[name]?.() : undefined;
    if (within !== undefined) {
      const value = object[name];
      if (isObject(value)) yield* strangeIn(value, within, place);
      else if (Array.isArray(value))
        for (const [index, item] of value.entries())
          if (isObject(item)) yield* strangeIn(item, within, pointerTo(place, index));
    } else if (!members.includes(name)) {
      const isTwin = members.some((member) => Object.hasOwn(object, member) && isSameWord(name, member));
      yield {
        pointer: place,
        name,
        isTwin,
        known: () => members.filter((member) => !Object.hasOwn(object, member)),
      };
    }
  }
}
