import { stepsOf } from '../../base/json.ts';

const COLLECTION = '{"publisher_domain": "news.example", "collection_ids": ["morning_show"]}';
/** An example of one element of each list of the format. */
const ELEMENTS: Readonly<Record<string, string>> = {
  authorized_agents:
    '{"url": "https://sales.example/mcp", "authorized_for": "display", "authorization_type": "property_ids", "property_ids": ["site"]}',
  agents: '{"url": "https://sales.example/mcp"}',
  properties:
    '{"property_type": "website", "name": "News", "identifiers": [{"type": "domain", "value": "news.example"}]}',
  identifiers: '{"type": "domain", "value": "news.example"}',
  publisher_properties: '{"publisher_domain": "news.example", "selection_type": "all"}',
  collections: '{"collection_id": "morning_show", "name": "Morning show"}',
  placements: '{"placement_id": "home_top", "name": "Home, top", "property_ids": ["site"]}',
  signals: '{"id": "auto_intender", "name": "Auto intender", "value_type": "binary"}',
  formats: '{"format_option_id": "banner", "format_kind": "image", "params": {}}',
  signing_keys: '{"kid": "2026-01", "kty": "OKP", "crv": "Ed25519", "x": "…"}',
  revoked_publisher_domains: '{"publisher_domain": "old.example", "revoked_at": "2026-01-31T09:00:00Z"}',
  brands: '{"id": "shoes", "names": [{"en": "Acme Shoes"}]}',
  names: '{"en": "Acme Shoes"}',
  brand_refs: '{"domain": "bags.example", "brand_id": "bags"}',
  authorized_operators: '{"domain": "agency.example"}',
  countries: '"DE"',
  property_ids: '"site"',
  property_tags: '"news"',
  tags: '"news"',
  publisher_domains: '"news.example"',
  placement_ids: '"home_top"',
  placement_tags: '"top"',
  collection_ids: '"morning_show"',
  signal_ids: '"auto_intender"',
  signal_tags: '"auto"',
  capabilities: '"get_products"',
  channels: '"display"',
  supported_channels: '"display"',
};
const WORDS = '{"news": {"name": "News", "description": "News sites"}}';
/** Examples of other fields. */
const VALUES: Readonly<Record<string, string>> = {
  exclusive: 'true or false',
  publisher: '{"name": "News", "domain": "news.example"}',
  contact: '{"name": "Ad Ops", "email": "adops@news.example"}',
  house: '{"domain": "acme.example", "name": "Acme"}',
  url: 'a string, for example "https://sales.example/mcp"',
  protocol: 'a string, for example "mcp"',
  authorized_for: 'a string, for example "display on our site"',
  publisher_domain: 'a string, for example "news.example"; for several domains, publisher_domains',
  effective_from: 'a string, for example "2026-01-31T09:00:00Z"',
  effective_until: 'a string, for example "2026-01-31T09:00:00Z"',
  id: 'a string, for example "main"',
  brand_agent: '{"url": "https://brand.acme.example/mcp"}',
  identity_agent: '{"url": "https://brand.acme.example/mcp"}',
  rights_agent: '{"url": "https://rights.acme.example/mcp"}',
  range: '{"min": 0, "max": 100}',
};

/** The hint for a value of the wrong type at such a place; undefined where no example is known. */
export function hintAt(pointer: string): string | undefined {
  const form = formAt(pointer);
  if (form === undefined) return undefined;
  return /^(?:a string|true)/.test(form) ? `write ${form}` : `write for example ${form}`;
}

/** An example of the value at a place of a file; undefined where none is known. */
export function formAt(pointer: string): string | undefined {
  const steps = stepsOf(pointer);
  const isElement = /^\d+$/.test(steps.at(-1) ?? '');
  const given = steps.at(isElement ? -2 : -1) ?? '';
  const name = /^revo[ck]/i.test(given) ? 'revoked_publisher_domains' : given;
  const isTop = steps.length === (isElement ? 2 : 1);
  if (Object.hasOwn(VALUES, name)) return VALUES[name];
  if (isTop && /^(?:placement_|signal_)?tags$/.test(name)) return WORDS;
  const element =
    name === 'collections' && !isTop
      ? COLLECTION
      : Object.hasOwn(ELEMENTS, name)
        ? ELEMENTS[name]
        : undefined;
  if (element === undefined) return undefined;
  return isElement ? element : `[${element}]`;
}
