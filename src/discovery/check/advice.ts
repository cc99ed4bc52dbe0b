import { asText, isObject, type JsonObject, pointerTo, stepsOf } from '../../base/json.ts';
import { isSameWord, nearestName } from '../../base/near-names.ts';
import { AGENT_TYPES } from '../../domain/agent-type.ts';
import { PROPERTY_TYPES, SITE_TYPES } from '../../domain/declaration.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { Finding } from '../../domain/finding.ts';
import { readInstant } from '../../domain/text.ts';
import { COMPANIONS, takesAway } from '../member-names.ts';
import { PROTOCOLS } from '../read-entry.ts';
import { IDENTIFIER_TYPES } from '../read-property.ts';
import { type Advice, hostInstead, httpsInstead, listedInstead, valueAt, written } from './advised-values.ts';
import { FORMAT_KINDS } from './catalogue-formats.ts';
import { VALUE_TYPES } from './catalogue-signals.ts';
import { CHANNELS, REVOCATION_REASONS } from './catalogue-terms.ts';
import { countriesOfText, countryInstead } from './country-advice.ts';
import { valueOfWord } from './other-words.ts';
import { formAt, hintAt } from './wanted-forms.ts';

type Adviser = (finding: Finding, document: JsonObject) => Advice | undefined;

const TYPES = Object.keys(COMPANIONS) as (keyof typeof COMPANIONS)[];
/** Members that are lists of texts, and of objects with one of the members behind them. */
const TEXT_LISTS =
  /^(?:property_ids|property_tags|signal_ids|signal_tags|countries|placement_ids|placement_tags|tags|capabilities|publisher_domains|collection_ids|applies_to_property_ids|applies_to_property_tags|genre|brands|scopes)$/;
const OBJECT_LISTS: Readonly<Record<string, string>> = {
  authorized_agents: 'url',
  agents: 'url',
  properties: 'property_type',
  identifiers: 'value',
  collections: 'publisher_domain',
  placements: 'placement_id',
  signals: 'id',
  brand_refs: 'domain',
  publisher_properties: 'selection_type',
  signing_keys: 'kid',
  revoked_publisher_domains: 'publisher_domain',
  brands: 'id',
  names: 'en',
  authorized_operators: 'domain',
};

const ADVISERS: Readonly<Record<string, Adviser>> = {
  authorization_type_unknown: (finding, document) => {
    const allowed = TYPES;
    const entry = valueAt(document, parentOf(finding.pointer));
    const isTurned = takesAway(asText(valueAt(document, finding.pointer)));
    const implied =
      isObject(entry) && !isTurned ? allowed.filter((type) => Object.hasOwn(entry, COMPANIONS[type])) : [];
    const [only] = implied.length === 1 ? implied : [];
    const near = oneOf(allowed)(finding, document) ?? {};
    const didYouMean = near.didYouMean ?? only;
    // a word that is near nothing, such as "none", may be there to end the authorisation
    const fix =
      near.fix ??
      (near.didYouMean === only && only !== undefined ? written(finding.pointer, only) : undefined);
    return { allowed, ...(didYouMean !== undefined && { didYouMean }), ...(fix && { fix }) };
  },
  authorization_type_missing: ({ pointer }, document) => {
    const entry = valueAt(document, pointer);
    const allowed = TYPES;
    if (!isObject(entry)) return { allowed };
    const [only, ...others] = allowed.filter((type) => Object.hasOwn(entry, COMPANIONS[type]));
    // a misspelt type stands there already
    const isThere = Object.keys(entry).some(
      (name) => nearestName(name, ['authorization_type']) !== undefined,
    );
    if (only === undefined || others.length > 0 || isThere) return { allowed };
    const put = `"authorization_type": ${JSON.stringify(only)},`;
    return {
      allowed,
      didYouMean: only,
      fix: { title: `write "authorization_type": "${only}"`, changes: [{ pointer, part: 'inside', put }] },
    };
  },
  companion_missing: ({ pointer, message }) => {
    const [name = ''] = /^\w+/.exec(message) ?? [];
    const form = formAt(pointerTo(pointer, name));
    if (form === undefined) return undefined;
    return { hint: `without it nothing is authorized here; add for example "${name}": ${form}` };
  },
  agent_list_missing: ({ pointer }, document) => {
    const isThere = Object.keys(document).some(
      (name) => nearestName(name, ['authorized_agents']) !== undefined,
    );
    const put = '"authorized_agents": [],';
    if (isThere) return undefined;
    return { fix: { title: 'write "authorized_agents": []', changes: [{ pointer, part: 'inside', put }] } };
  },
  selection_type_unknown: (finding, document) => {
    const inside = { ...finding, pointer: pointerTo(finding.pointer, 'selection_type') };
    const isInside = valueAt(document, inside.pointer) !== undefined;
    return oneOf(['all', 'by_id', 'by_tag'])(isInside ? inside : finding, document);
  },
  delegation_type_unknown: (finding, document) =>
    oneOf(['direct', 'delegated', 'ad_network'])(finding, document),
  property_type_unknown: (finding, document) => oneOf(PROPERTY_TYPES)(finding, document),
  protocol_unknown: (finding, document) => oneOf(PROTOCOLS)(finding, document),
  property_type_missing: () => ({ allowed: PROPERTY_TYPES }),
  identifier_type_unknown: (finding, document) =>
    oneOf([...SITE_TYPES, ...IDENTIFIER_TYPES])(finding, document),
  agent_type_unknown: (finding, document) =>
    oneOf(AGENT_TYPES.filter((type) => type !== 'unknown'))(finding, document),
  signal_value_type: (finding, document) => oneOf(VALUE_TYPES)(finding, document),
  format_kind_unknown: (finding, document) => oneOf(FORMAT_KINDS)(finding, document),
  channel_unknown: (finding, document) => oneOf(CHANNELS)(finding, document),
  revocation_incomplete: (finding, document) =>
    finding.pointer.endsWith('/reason') ? oneOf(REVOCATION_REASONS)(finding, document) : undefined,
  domain_spelling: ({ pointer }, document) => {
    const parsed = parseDomain(asText(valueAt(document, pointer)));
    return parsed.ok ? { fix: written(pointer, parsed.domain) } : undefined;
  },
  country_invalid: countryInstead,
  date_without_time: ({ pointer }, document) => {
    const value = valueAt(document, pointer);
    return typeof value === 'string' ? { fix: written(pointer, `${value}T00:00:00Z`) } : undefined;
  },
  time_invalid: ({ pointer }, document) => {
    const value = valueAt(document, pointer);
    const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(Z|[+-]\d\d:\d\d)$/i.exec(
      asText(value).slice(0, 40),
    );
    if (match === null) return undefined;
    const [, date, minutes, seconds = ':00', zone] = match;
    const text = `${date}T${minutes}${seconds}${zone?.toUpperCase()}`;
    return readInstant(text) && { fix: written(pointer, text) };
  },
  wrong_type: ({ pointer }, document) => {
    const value = valueAt(document, pointer);
    const name = stepsOf(pointer).at(-1) ?? '';
    const list = name === 'countries' && typeof value === 'string' ? countriesOfText(value) : undefined;
    if (list !== undefined)
      return {
        fix: { title: 'write a list', changes: [{ pointer, part: 'value', put: JSON.stringify(list) }] },
      };
    const hint = hintAt(pointer);
    const isOne =
      (typeof value === 'string' && value !== '' && name !== 'countries' && TEXT_LISTS.test(name)) ||
      (isObject(value) && Object.hasOwn(value, OBJECT_LISTS[name] ?? ' '));
    if (isOne) return { fix: { title: 'write a list', changes: [{ pointer, part: 'wrap', put: '' }] } };
    if (name === 'exclusive' && (value === 'true' || value === 'false'))
      return {
        allowed: ['true', 'false'],
        fix: { title: `write ${value}`, changes: [{ pointer, part: 'value', put: value }] },
      };
    return hint === undefined ? undefined : { hint };
  },
  catalogue_id_missing: ({ pointer, message }, document) => {
    const [, meant] = / (\w+) is missing$/.exec(message) ?? [];
    const element = valueAt(document, pointer);
    if (meant === undefined || !isObject(element)) return undefined;
    const named = IDS.filter((id) => typeof element[id] === 'string');
    const [only] = named.length === 1 ? named : [];
    if (only === undefined) return undefined;
    const changes = [{ pointer: pointerTo(pointer, only), part: 'key' as const, put: JSON.stringify(meant) }];
    return { fix: { title: `write "${meant}" for "${only}"`, changes } };
  },
  domain_invalid: (finding, document) => {
    const isMissing = isObject(valueAt(document, finding.pointer));
    const hint = isMissing ? hintAt(finding.pointer) : undefined;
    return hint === undefined ? hostInstead(finding, document) : { hint };
  },
  identifier_domain_invalid: hostInstead,
  url_not_https: httpsInstead,
  url_invalid: httpsInstead,
  location_invalid: httpsInstead,
  jwks_uri_invalid: httpsInstead,
  property_unknown: (finding, document) => listedInstead(finding, document, ({ property_id: id }) => [id]),
  tag_unmatched: (finding, document) =>
    listedInstead(finding, document, ({ tags }) => (Array.isArray(tags) ? tags : [])),
};

/** Names under which authors write the id of something in the catalogue. */
const IDS = ['id', 'signal_id', 'placement_id', 'collection_id', 'key', 'slug'];

/** What helps with a finding; nothing for most of them. */
export function adviceFor(finding: Finding, document: JsonObject): Advice {
  return ADVISERS[finding.code]?.(finding, document) ?? {};
}

function oneOf(allowed: readonly string[]): Adviser {
  return ({ pointer }, document) => {
    const value = valueAt(document, pointer);
    const isWord = typeof value === 'string' && !takesAway(value);
    const didYouMean = isWord ? (nearestName(value, allowed) ?? valueOfWord(value, allowed)) : undefined;
    if (didYouMean === undefined) return { allowed };
    const isCertain = isSameWord(asText(value), didYouMean);
    return { allowed, didYouMean, ...(isCertain && { fix: written(pointer, didYouMean) }) };
  };
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
}
