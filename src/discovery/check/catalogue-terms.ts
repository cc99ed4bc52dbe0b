import { elements, isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { Report } from '../report.ts';
import { type Listed, listedAt } from './catalogue-names.ts';

export const CHANNELS = [
  ...[
    'display',
    'olv',
    'social',
    'search',
    'ctv',
    'linear_tv',
    'radio',
    'streaming_audio',
    'podcast',
    'dooh',
  ],
  ...['ooh', 'print', 'cinema', 'email', 'gaming', 'retail_media', 'influencer', 'affiliate'],
  ...['product_placement', 'sponsored_intelligence'],
];
export const REVOCATION_REASONS = [
  ...['relationship_ended', 'compliance_violation', 'publisher_request', 'other'],
];
/** Ids and tags of properties, as the format has them. */
const TERM = /^[a-z0-9_]+$/;
/** With a time zone; whether it is a day of the calendar, the readers say where it counts. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const KEY_TEXTS = ['crv', 'x', 'y', 'n', 'e', 'alg', 'use'];
const EMAIL = /^[^\s@]+@(?:[^\s@.]+\.)+[^\s@.]+$/;

/**
 * What the format says of the terms of a file: how ids, domains and channels are spelt, and what a contact, a feature, a key
 * and a revocation have. Clients that are strict refuse what is otherwise; readers take it, and no authorisation depends on it.
 */
export function checkTerms(document: JsonObject, report: Report): void {
  const entries = listedAt(document.authorized_agents, '/authorized_agents');
  const properties = [document, ...entries.map(({ value }) => value)].flatMap((owner, index) =>
    listedAt(owner.properties, `${index === 0 ? '' : entries[index - 1]?.pointer}/properties`),
  );
  const within = (member: string): Listed[] =>
    entries.flatMap(({ value, pointer }) => listedAt(value[member], `${pointer}/${member}`));
  const revoked = listedAt(document.revoked_publisher_domains, '/revoked_publisher_domains');
  checkIds(properties, report);
  for (const { value, pointer } of properties) checkChannels(value, pointer, report);
  for (const named of [properties, within('publisher_properties'), within('collections'), revoked])
    for (const { value, pointer } of named) checkDomains(value, pointer, report);
  for (const one of revoked) checkRevocation(one, report);
  for (const key of within('signing_keys')) checkKey(key, report);
  for (const key of within('encryption_keys')) checkEncryptionKey(key, report);
  for (const feature of listedAt(document.property_features, '/property_features'))
    checkFeature(feature, report);
  const { contact } = document;
  if (isObject(contact)) checkContact(contact, report);
}

/** Told once for a file: whoever spells one so spells all so. */
function checkIds(properties: readonly Listed[], report: Report): void {
  const odd = (name: unknown): boolean => typeof name === 'string' && name !== '' && !TERM.test(name);
  const found = properties.filter(({ value }) => odd(value.property_id) || elements(value.tags).some(odd));
  const [first, ...others] = found;
  if (first === undefined) return;
  const { property_id: id, tags } = first.value;
  const place = pointerTo(first.pointer, odd(id) ? 'property_id' : 'tags');
  const more = others.length > 0 ? `, and ${others.length} more properties` : '';
  report.add('term_letters', place, `${String(odd(id) ? id : elements(tags).find(odd))}${more}`);
}

function checkChannels({ supported_channels: channels }: JsonObject, pointer: string, report: Report): void {
  const place = `${pointer}/supported_channels`;
  if (channels !== undefined && !Array.isArray(channels)) report.add('wrong_type', place, channels);
  const index = elements(channels).findIndex((one) => !isOneOf(CHANNELS, one));
  if (index >= 0) report.add('channel_unknown', pointerTo(place, index), elements(channels)[index]);
}

/** Readers normalise a domain, and some clients compare it as it stands. */
function checkDomains(value: JsonObject, pointer: string, report: Report): void {
  const said = (text: unknown, place: string): void => {
    const parsed = typeof text === 'string' ? parseDomain(text) : undefined;
    if (parsed?.ok && parsed.domain !== text) report.add('domain_spelling', place, text);
  };
  said(value.publisher_domain, `${pointer}/publisher_domain`);
  for (const [index, text] of elements(value.publisher_domains).entries())
    said(text, `${pointer}/publisher_domains/${index}`);
}

function checkRevocation({ value, pointer }: Listed, report: Report): void {
  const { revoked_at: at, reason } = value;
  if (at === undefined || at === null) report.add('revocation_incomplete', pointer, 'revoked_at is missing');
  if (reason !== undefined && !isOneOf(REVOCATION_REASONS, reason))
    report.add('revocation_incomplete', `${pointer}/reason`, reason);
}

function checkKey({ value, pointer }: Listed, report: Report): void {
  const odd = KEY_TEXTS.find((member) => value[member] !== undefined && typeof value[member] !== 'string');
  const { revoked_at: at } = value;
  if (odd !== undefined) report.add('key_member_invalid', pointerTo(pointer, odd), value[odd]);
  if (at !== undefined && !(typeof at === 'string' && TIME.test(at)))
    report.add('key_member_invalid', `${pointer}/revoked_at`, at);
}

/** A key for sealed tokens: X25519, its id 8 characters at most. */
function checkEncryptionKey({ value, pointer }: Listed, report: Report): void {
  const { kid, kty, crv, use, x } = value;
  const isKid = typeof kid === 'string' && kid !== '' && kid.length <= 8;
  const isKey = kty === 'OKP' && crv === 'X25519' && use === 'enc' && typeof x === 'string';
  if (!isKid || !isKey) report.add('encryption_key_invalid', pointer);
}

function checkFeature({ value, pointer }: Listed, report: Report): void {
  const { url, name, features } = value;
  const isUrl = typeof url === 'string' && parseAgentUrl(url).ok;
  const isList = elements(features).length > 0 && elements(features).every((one) => typeof one === 'string');
  const missing = [!isUrl && 'url', typeof name !== 'string' && 'name', !isList && 'features'].filter(
    Boolean,
  );
  if (missing.length > 0) report.add('feature_incomplete', pointer, missing.join(', '));
}

function checkContact({ name, email }: JsonObject, report: Report): void {
  if (typeof name !== 'string' || name.trim() === '') report.add('contact_incomplete', '/contact', 'name');
  if (email !== undefined && !(typeof email === 'string' && email.length <= 255 && EMAIL.test(email)))
    report.add('contact_incomplete', '/contact/email', email);
}

function isOneOf(known: readonly unknown[], value: unknown): boolean {
  return known.includes(value);
}
