import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkBytes, type FileCheck } from '../../../src/discovery/check-file.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
/** What its author changes by hand: a part of the file, and what it says; told in its line, or in that of another part. */
type Edit = readonly [was: string, is: string, toldAt?: string];
interface MistakenFile {
  readonly kind?: 'brand';
  /** In each round: what the run tells, besides what --fix repairs. */
  readonly rounds: readonly (readonly Edit[])[];
}

/** Files in `sets/`, each with nine typical mistakes or more, as publishers write them. */
const SETS: Readonly<Record<string, MistakenFile>> = {
  'names-and-limits': {
    rounds: [
      [
        ['"Daily Site"', '"daily_site"'],
        ['"web"', '"website"'],
        ['"app"', '"mobile_app"'],
        ['"sales.daily', '"https://sales.daily'],
        ['"property"', '"property_ids"'],
        ['"IRL"', '"IE"'],
        ['01/12/2026', '2026-12-01T00:00:00Z'],
        ['"authorized_for": ""', '"authorized_for": "resale"'],
        ['"reseller"', '"delegated"'],
      ],
      [['"News"', '"news"']],
    ],
  },
  'simple-form': {
    rounds: [
      [
        ['"Kicker"', '{"name": "Kicker", "domain": "kicker.example"}'],
        [', "countries": ["de"]', ''],
        ['["mcp"]', '"mcp"'],
        ['user:pw@', ''],
        ['"https://five.kicker.example/mcp"', '{"url": "https://five.kicker.example/mcp"}'],
        [', "exclusive": true', ''],
        ['"authorised_agents": [],', ''],
        ['updated_at', 'last_updated'],
      ],
      [],
    ],
  },
  catalogue: {
    rounds: [
      [
        ['"signals",', '"signal_ids",'],
        [', "auto_intenders"', ''],
        ['"home_top", "home-top"', '"home_top"'],
        ['abovefold', 'above_fold'],
        ['"morning_show"', '{"publisher_domain": "data.example", "collection_ids": ["morning_show"]}'],
        ['"bool"', '"binary"'],
        ['"number"', '"numeric"'],
        ['[0, 100]', '{"min": 0, "max": 100}'],
        ['"id": "auto_intender", "name": "Twice"', '"id": "auto", "name": "Twice"'],
        ['["home"]', '["site"]'],
        ['"display_300x250"', '{"format_option_id": "banner", "format_kind": "image", "params": {}}'],
        ['["premium", "above_fold"]', '{"premium": {"name": "Premium", "description": "the best"}}'],
        ['"premium "', '"premium"'],
      ],
    ],
  },
  'house-of-brands': {
    kind: 'brand',
    rounds: [
      [
        ['"url": "acme.example"', '"domain": "acme.example"'],
        ['"name": "Acme Shoes"', '"id": "shoes", "names": [{"en": "Acme Shoes"}]'],
        ['http://brand', 'https://brand'],
        ['"seller"', '"sales"'],
        ['"Hats"', '{"en": "Hats"}'],
        ['{ "url": "https://x.acme.example" }, ', ''],
        ['31.12.2026', '2026-12-31T00:00:00Z'],
        ['"other.example"', '{"domain": "other.example"}'],
        ['"bags.example"', '{"domain": "bags.example", "brand_id": "bags"}'],
      ],
    ],
  },
  'pointer-and-list': {
    rounds: [
      [
        ['"authoritative_location": "http://cdn.net.example/adagents.json",', ''],
        ['["*"]', '["site"]'],
        ['"authorization_type": "all"', '"authorization_type": "property_ids", "property_ids": ["site"]'],
        [
          '"url": "https://c.example/mcp"',
          '"url": "https://c.example/mcp", "authorization_type": "property_ids", "property_ids": ["site"]',
        ],
        [
          '"d.example"',
          '{"property_type": "website", "name": "D", "identifiers": [{"type": "domain", "value": "d.example"}]}',
        ],
        ['["display"]', '"display"'],
        ['"effective_until": "2026-01-01T', '"effective_until": "2027-01-01T'],
        [', "countries": "all"', ''],
        ['"kty"', '"kid": "1", "kty"'],
        [', "d": "secret"', ''],
        ['revoked_publishers', 'revoked_publisher_domains'],
        ['"gone.example"', '{"publisher_domain": "gone.example", "revoked_at": "2026-01-31T09:00:00Z"}'],
        ['{ "domain": "site.example" }', '[{"type": "domain", "value": "site.example"}]'],
      ],
    ],
  },
  network: {
    rounds: [
      [
        ['"*.two.example"', '"two.example"'],
        ['"property_ids": ["x"]', '"property_tags": ["x"]'],
        ['"publisher_domains": ["three.example", ', '"publisher_domain": "three.example", "x-others": ["'],
        ['"tag"', '"by_tag"'],
        ['"tags"', '"property_tags"'],
        [', "exclusive": null', ''],
        [
          '"property_type": "website", "name": "Two"',
          '"publisher_domain": "two.example", "property_type": "website", "name": "Two"',
        ],
        [
          '"property_id": "main", "publisher_domain": "one.example", "property_type": "website", "name": "Three"',
          '"property_id": "three", "publisher_domain": "three.example", "property_type": "website", "name": "Three"',
        ],
        ['yesterday', '2026-01-31T09:00:00Z'],
      ],
      [],
    ],
  },
  syntax: { rounds: [[['undefined', '"direct"']], []] },
  'house-that-leads-elsewhere': {
    kind: 'brand',
    rounds: [
      [
        ['"house": "acme.example"', '"house": {"domain": "acme.example"}', '"agents"'],
        ['"m.acme.example/jwks.json"', '"https://m.acme.example/jwks.json"'],
        ['"id": 7', '"id": "seven"'],
        ['"buyer"', '"buying"'],
        ['jwks_url', 'jwks_uri'],
        ['"https://brand.acme.example/mcp"', '{"url": "https://brand.acme.example/mcp"}'],
        [', "brands": []', ''],
        ['valid_til', 'valid_until'],
        ['2026-01-01', '2028-01-01'],
      ],
      [['"co.uk"', '"op.co.uk"']],
    ],
  },
};

const errorsOf = ({ findings }: FileCheck) =>
  findings.filter(({ severity }) => severity === 'error').map(({ code, pointer }) => `${code} ${pointer}`);

it.each(Object.entries(SETS))(
  '%s: each mistake is told, and the file is right in two rounds',
  (name, set) => {
    const { kind = 'adagents', rounds } = set;
    const check = (text: string) => checkBytes(Buffer.from(text), { kind, now: NOW });
    let text = readFileSync(join(import.meta.dirname, 'sets', `${name}.txt`), 'utf8');
    for (const edits of rounds) {
      const { findings, fixed = text } = check(text);
      const told = new Set(findings.map(({ line }) => line));
      const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
      const untold = edits.filter(([was, , toldAt = was]) => !told.has(lineOf(toldAt)));
      expect(untold).toEqual([]);
      text = edits.reduce((now, [was, is]) => {
        expect(now).toContain(was);
        return now.replace(was, is);
      }, fixed);
    }
    expect(rounds.length).toBeLessThanOrEqual(2);
    expect(errorsOf(check(text))).toEqual([]);
  },
);
