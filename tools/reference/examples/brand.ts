import { brand, type Example } from './example.ts';

const one = (before: object, after: object = brand(), others?: readonly string[]): Example => ({
  kind: 'brand',
  before,
  after,
  ...(others && { with: others }),
});

const HOUSE = { domain: 'acme.example', name: 'Acme' };
const MEASURING = { type: 'measurement', url: 'https://measure.example/mcp', id: 'measure' };

export const BRAND_EXAMPLES: Readonly<Record<string, Example>> = {
  redirect_with_agents: one({ house: 'acme.example', agents: [MEASURING] }, brand(), ['agents_beside_house']),
  agents_beside_house: one(brand({ top: { house: HOUSE, agents: [MEASURING] } })),
  agent_type_unknown: one(brand({ agent: { type: 'measure' } })),
  duplicate_agent_url: one(
    brand({ top: { house: { ...HOUSE, agents: [MEASURING, { ...MEASURING, type: 'sales' }] } } }),
    brand({
      top: {
        house: { ...HOUSE, agents: [MEASURING, { type: 'sales', url: 'https://sales.example/mcp' }] },
      },
    }),
  ),
  operator_public_suffix: one(
    brand({ top: { authorized_operators: [{ domain: 'co.uk' }] } }),
    brand({ top: { authorized_operators: [{ domain: 'agency.co.uk' }] } }),
  ),
  jwks_uri_invalid: one(
    brand({ agent: { jwks_uri: 'http://measure.example/jwks.json' } }),
    brand({ agent: { jwks_uri: 'https://measure.example/jwks.json' } }),
  ),
  brand_agent_old: one(
    brand({ brand: { brand_agent: { url: 'https://brand.example/mcp', id: 'b' } } }),
    brand({ brand: { agents: [{ type: 'brand', url: 'https://brand.example/mcp', id: 'b' }] } }),
  ),
  rights_agent_old: one(
    brand({ brand: { rights_agent: { url: 'https://rights.example/mcp', id: 'r' } } }),
    brand({ brand: { agents: [{ type: 'rights', url: 'https://rights.example/mcp', id: 'r' }] } }),
  ),
  brand_id_missing: one(brand({ brand: { id: undefined } })),
  names_missing: one(brand({ brand: { names: undefined } })),
  name_invalid: one(brand({ brand: { names: [{ en: 'Acme Shoes' }, { de: 5 }] } })),
  house_domain_missing: one(brand({ top: { house: { name: 'Acme' } } })),
};

/** Of `ard.json`, which `validate` does not read. */
export const ARD_EXAMPLES: Readonly<Record<string, Example>> = {
  ard_entries_missing: {
    words: 'The file is `{"agents": []}`. List the agents in `{"entries": []}`.',
  },
  ard_entry_incomplete: {
    words: 'The identifier is `acme:sales`. Use `urn:air:acme.example:agent:sales`.',
  },
  ard_entry_unread: {
    words:
      'The url is `https://acme.example/agents/sales.json`. Use the URL of the agent itself, `https://sales.acme.example/mcp`.',
  },
  ard_publisher_other: {
    words:
      'The file of `acme.example` lists `urn:air:rival.example:agent:sales`. Remove it: only `rival.example` may list it.',
  },
};
