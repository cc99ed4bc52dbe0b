import { readFileSync } from 'node:fs';
import { GOOD_ADAGENTS } from '../discovery/fixtures/adagents-good.ts';
import { GOOD_BRAND } from '../discovery/fixtures/brand.ts';
import { examplesOf } from '../protocol/requests.ts';
import type { Grammar, JsonGrammar } from './texts.ts';

/*
 * Good texts of each format, and what they are made of. `most` is for the parser to say.
 */
type Marks = Omit<Grammar, 'most'>;
type Values = Omit<JsonGrammar, 'most'>;

const shipped = (file: string) =>
  readFileSync(new URL(`../../pipelines/storyboards/3.0.0/${file}`, import.meta.url), 'utf8');

const PARAMETERS =
  'created=1800000000;expires=1800000300;nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="k1";alg="ed25519";tag="proto/request-signing/v1"';
const COVERED = '("@method" "@target-uri" "@authority" "content-type" "content-digest")';

/** Three lines: Signature-Input, Signature, Content-Digest. */
export const SIGNATURE: Marks = {
  samples: [
    `sig1=${COVERED};${PARAMETERS}\nsig1=:${'A'.repeat(86)}:\nsha-256=:${'A'.repeat(43)}:`,
    `a=("@path";sf "x";key="y");created=1, sig1=${COVERED};${PARAMETERS}\na=:AA==:, sig1=:${'A'.repeat(86)}==:\nsha-512=:AA==:`,
  ],
  tokens: [
    '"',
    '\\',
    '\\"',
    '(',
    ')',
    ';',
    '=',
    ',',
    ', ',
    ':',
    ' ',
    '\t',
    '*',
    'a',
    '-1.5',
    '?1',
    '@1',
    '%"a"',
    '\n',
    ';a=1',
    '"x" ',
    'sig1=:AA==:',
    '\u0000',
    'ä',
  ],
  pairs: [
    ['(', ')'],
    ['"', '"'],
    ['("a" ', ')'],
  ],
  members: [(n) => `;p${n}=1`, (n) => `"x-${n}" `, (n) => `, s${n}=:AA==:`, (n) => `, s${n}=("a");a=1`],
};

export const URLS: Marks = {
  samples: [
    'https://seller.example/a/../b/./%7Efoo?x=%20&y=1',
    'https://xn--bcher-kva.example:8443/mcp/',
    'http://[2001:db8::1]:80/p#f',
    'https://user:pass@agent.example./',
    'HTTPS://bücher.example/ä',
  ],
  tokens: [
    '/',
    '//',
    '.',
    '..',
    '/../',
    '%',
    '%2e',
    '%25',
    '%zz',
    '?',
    '#',
    '@',
    ':',
    '[',
    ']',
    'xn--',
    'ß',
    'ä',
    '。',
    '\u0301',
    '-',
    'a.',
    '0x7f.',
    '1.',
    '\\',
    ' ',
    '\t',
    '\u0000',
    '\u00ad',
    '\ud800',
  ],
  pairs: [
    ['[', ']'],
    ['/a', '/..'],
  ],
  members: [(n) => `/s${n}`, (n) => `&k${n}=v`, (n) => `l${n}.`],
};

export const HEADERS: Marks = {
  samples: [
    'public, max-age=600, s-maxage="30"',
    'no-store',
    'W/"a", "b", *',
    'Sun, 22 Nov 2026 16:00:00 GMT',
    '120',
  ],
  tokens: [' ', '\t', ',', '=', '"', 'max-age', 's-maxage=', 'W/', 'GMT', '0', '9', ';', 'no-cache', 'Mon, '],
  members: [(n) => `x${n}=1, `, (n) => `"t${n}", `],
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export const TOKENS: Marks = {
  samples: [
    `${part({ alg: 'EdDSA', typ: 'x', kid: 'k' })}.${part({ iss: 'a', aud: ['b'] })}.AAAA`,
    Buffer.alloc(90, 7).toString('base64url'),
  ],
  tokens: ['.', 'A', '_', '-', '=', '==', '+', '/', part({ a: 1 }), part('['.repeat(300)), part([[[1]]])],
  members: [(n) => `${part({ [`k${n}`]: n })}.`],
};

export const QUERIES: Marks = {
  samples: [
    'type=sales&health=true&limit=20&q=view',
    'metric_id=a&metric_id=b&accreditation=MRC&cursor=AAAA',
  ],
  tokens: [
    '&',
    '=',
    '%',
    '%20',
    '+',
    '&q=',
    '&type=sales',
    '&metric_id=x',
    '&limit=',
    '9',
    'a',
    'ä',
    '&&',
    ';',
    '%F0%9F%98%80',
  ],
  members: [(n) => `&k${n}=v`, (n) => `&metric_id=m${n}`],
};

const YAML_MARKS = {
  tokens: [
    '- ',
    ': ',
    '? ',
    '\n',
    '\n  ',
    '  ',
    '\t',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '|\n',
    '>\n',
    '&a ',
    '*a',
    '!!x ',
    '#',
    '%TAG ! x\n',
    '---\n',
    '...\n',
    '<<: ',
    '\\',
    '\r',
    '\u0000',
    '\ufeff',
    '"a":',
    '- - ',
    '? - ',
    'a: b: ',
    '0x1',
    '~',
  ],
  pairs: [
    ['[', ']'],
    ['{a: ', '}'],
    ['- ', '\n'],
    ['? ', ''],
    ['"', '"'],
    ['"a":', '1'],
    ['&a [', ']'],
  ],
  members: [
    (n) => `k${n}: 1\n`,
    (n) => `"${n}":1,`,
    (n) => `- &a${n} [*a${n - 1}]\n`,
    (n) => `${' '.repeat(n % 60)}a:\n`,
    (n) => `%TAG !${n}! x\n`,
  ],
} as const satisfies Omit<Marks, 'samples'>;

export const STORYBOARDS: Marks = {
  samples: [
    shipped('protocols/media-buy/properties.yaml'),
    shipped('protocols/media-buy/webhooks.yaml'),
    shipped('protocols/media-buy/products.yaml'),
  ],
  ...YAML_MARKS,
  tokens: [
    ...YAML_MARKS.tokens,
    'skip_if: ',
    '$context.a',
    '{{now+1d}}',
    'depends_on: ',
    'context_outputs: ',
    'path: a[0]',
  ],
};

export const YAML: Marks = {
  samples: [
    'a: 1\nb: [x, {y: z}]\nc: |\n  text\n  more\n',
    '- &a {k: v}\n- *a\n- "q\\n"\n',
    '{"a": [1, 2, {"b": null}], "c": "d"}',
  ],
  ...YAML_MARKS,
};

export const EXPRESSIONS: Marks = {
  samples: [
    "context.name == 'value'",
    '!test_kit.auth.api_key',
    'products[0].pricing_options[*].price',
    'a[k=v].b',
    '$context.a[0].b and {{now+7d}}',
    '$generate:uuid_v4#x',
  ],
  tokens: [
    '.',
    '[',
    ']',
    '[*]',
    '[0]',
    '[a=b]',
    '=',
    '==',
    '!=',
    '!',
    ' ',
    '\t',
    '"',
    "'",
    '$context.',
    '$context.a',
    '{{',
    '}}',
    '{{now',
    '+1d',
    '$',
    '#',
    'a',
    '\n',
    '$generate:',
  ],
  pairs: [
    ['[', ']'],
    ['{{', '}}'],
    ['a[', ']'],
    ['"', '"'],
  ],
  members: [(n) => `.m${n}`, (n) => `[${n}]`, (n) => `$context.a${n} `],
};

/** What paths lead into: lists within lists. */
export const ANSWER = {
  products: Array.from({ length: 50 }, (_, n) => ({
    id: `p${n}`,
    pricing_options: [{ price: n }, { price: 1 }],
  })),
  a: [[{ k: 'v', b: [1, 2] }], { b: 1 }],
  context: { name: 'value' },
};

const WORDS = [
  '',
  'all',
  '__proto__',
  'https://a.example/mcp',
  'https://a.example/%2e',
  'news.example',
  '*.news.example',
  'xn--',
  'ä'.repeat(70),
  '\ud800',
  '\u0000',
  '2026-01-01T00:00:00Z',
  'property_ids',
  'inline_properties',
  'website',
  'url',
  'agents',
  '{{now}}',
  '<b>',
  '"',
  '\\',
];
const files = (fixtures: readonly { readonly file: unknown }[]) =>
  fixtures.map(({ file }) => file).filter((file) => typeof file === 'object');

export const ADAGENTS: Values = { samples: files(GOOD_ADAGENTS), words: WORDS };
export const BRANDS: Values = { samples: files(GOOD_BRAND), words: WORDS };

export const ADS_TXT: Marks = {
  samples: [
    '# ads\ngoogle.com, pub-1, DIRECT, f08c\nMANAGERDOMAIN=manager.example\n',
    'managerdomain = a.example, DE # x\r\n',
  ],
  tokens: [
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    '=',
    ',',
    ';',
    '#',
    'managerdomain',
    'managerdomain=',
    'a',
    '\u2028',
    '\ufeff',
  ],
  members: [(n) => `managerdomain=d${n}.example\n`],
};

export const ROBOTS: Marks = {
  samples: [
    'User-agent: agent-registry\nDisallow: /private*\nAllow: /a$\nCrawl-delay: 2\n',
    'user-agent: *\ndisallow: /\n\nuser-agent: agent-registry/1\nallow: /*.json$\n',
  ],
  tokens: [
    '*',
    '$',
    '%',
    '%2f',
    '/',
    'a',
    ':',
    '\n',
    '\r',
    ' ',
    '#',
    'Disallow: ',
    'Allow: *',
    'User-agent: agent-registry\n',
    'ä',
    '\ud800',
    '*a',
    'aaaaaaaaaaaaaaaa',
    'Crawl-delay: ',
  ],
  pairs: [['*a', '$']],
  members: [
    (n) => `Disallow: /${n}*${'a'.repeat(n % 240)}b${'a'.repeat(240)}\n`,
    (n) => `User-agent: x${n}\n`,
    () => 'Disallow: *a*a*a*a*a*a*a*a*b\n',
  ],
};
export const PATHS: readonly string[] = [
  '/',
  `/${'a'.repeat(2_000)}`,
  `/${'ab'.repeat(1_000)}?${'%2f'.repeat(300)}`,
];

const SKILL = { id: 'get_products', name: 'get_products', description: 'lists', tags: ['a'] };

export const CARDS: Values = {
  samples: [
    {
      name: 'A',
      description: 'b',
      url: 'https://agent.example/a2a',
      preferredTransport: 'JSONRPC',
      skills: [SKILL],
      additionalInterfaces: [{ url: 'https://agent.example/rest', transport: 'HTTP+JSON' }],
    },
    {
      name: 'A',
      skills: [SKILL, { name: 'x y' }],
      supportedInterfaces: [
        { url: 'https://agent.example/v1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    },
  ],
  words: [...WORDS, 'JSONRPC', 'supportedInterfaces', 'https://other.example/'],
};

const METRIC = {
  metric_id: 'viewable',
  standard_reference: 'MRC 2.0',
  methodology_url: 'https://a.example/how',
  accreditations: [
    { accrediting_body: 'MRC', valid_until: '2026-02-29', evidence_url: 'https://a.example/e' },
  ],
};

export const ANSWERS: Values = {
  samples: [
    {
      structuredContent: { products: [{ product_id: 'p', name: 'P' }] },
      content: [{ type: 'text', text: '{"a":[1]}' }],
      isError: false,
    },
    {
      supported_protocols: ['media_buy', 'creative'],
      specialisms: ['sales-guaranteed'],
      media_buy: { portfolio: { publisher_domains: ['news.example'] } },
      creative: { supported_formats: [{ id: 'display' }] },
      measurement: { metrics: [METRIC] },
      signals: { audience_types: ['x'] },
      adcp: { major_versions: [3] },
    },
    {
      errors: [
        { code: 'INVALID_REQUEST', message: 'no', pointer: '/a', recovery: 'correctable', retry_after: 3 },
      ],
      metrics: [METRIC, METRIC],
    },
  ],
  words: [
    ...WORDS,
    's3cr3t-T0ken-0123456789abcdef',
    '%73%33%63%72',
    'Bearer aaaaaaaaaaaaaaaa',
    'aaaaaaaaaaaa',
    '\\u0073',
    '&#115;',
  ],
};

const EVENT = 'event: message\ndata: {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}\n\n';

export const EVENTS: Marks = {
  samples: [EVENT, EVENT.replaceAll('\n', '\r\n') + EVENT, '{"jsonrpc":"2.0","id":1,"result":{}}'],
  tokens: [
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    'data:',
    'data: {',
    'id: 1\n',
    ':',
    'event: x\n',
    '{"error":',
    '"',
    '\ufeff',
  ],
  pairs: [
    ['{"error":', '}'],
    ['data: [', ']'],
  ],
  members: [(n) => `data: ${n}\n`, (n) => `data: {"a":${n}}\n\n`],
};

export const PAYLOADS: Values = {
  samples: [
    ...examplesOf('create_media_buy', 'request'),
    ...examplesOf('get_products', 'request'),
    ...examplesOf('get_products', 'response'),
  ],
  words: [
    ...WORDS,
    'EUR',
    '2026-13-01T00:00:00Z',
    'a@b.example',
    `a@${'a'.repeat(300)}`,
    'urn:x',
    'https://[::1]:99999/',
    'media_buy.delivery',
  ],
};

const KEY = { kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: 'A'.repeat(43), use: 'sig' };
export const KEYS: Values = {
  samples: [{ keys: [KEY, { ...KEY, kid: 'k2' }] }, [KEY], KEY],
  words: [...WORDS, 'kid', 'k1'],
};

const MATCH = {
  request_id: '5b1f0c1e-1c1d-4c1e-8c1f-0123456789ab',
  package_ids: ['rail-pass', 'spring-sale'],
};

export const CONTEXT: Values = {
  samples: [
    {
      ...MATCH,
      property: { property_id: 'news.example', property_type: 'website' },
      placement: { placement_id: 'article-top', formats: ['display-300x250'] },
      content: {
        url: 'https://news.example/travel/2026',
        artifact_types: ['article'],
        topics: ['travel.rail'],
        keywords: ['night train', 'Züge'],
        language: 'en-GB',
      },
    },
  ],
  words: [...WORDS, 'a-b', '0123456789', '1 2 3 4', 'deadbeef0123', '192.0.2.1', 'a '.repeat(30), "a'"],
};
export const IDENTITY: Values = {
  samples: [{ ...MATCH, token: 'kN3vR8sWq1ZxT5bYh0LmC7eUaJ2dGf9PoI4tXuS6wQe' }],
  words: [...WORDS, 'rail-pass', 'a-b', '","', 'user_id'],
};

export const ARD_QUERY: Values = {
  samples: [
    {
      '@context': ['https://agenticresourcediscovery.org/context/v1', { x: 'https://x.example/terms#' }],
      text: 'who measures viewability?',
      filter: { type: ['application/a2a-agent-card+json'], 'metadata.agentType': ['measurement'] },
    },
  ],
  words: [...WORDS, 'x:agentType', 'type', 'metadata.', '__proto__', 'a'.repeat(301)],
};
export const ARD_FILTER: Marks = {
  samples: [
    'type = \'application/mcp-server-card+json\' AND metadata.agentType = "signals"',
    'urn:air:agent.example:agent-http-8080:a2a_2Fv1',
  ],
  tokens: [' AND ', " = 'a'", '"', "'", '=', ' ', '.', '__proto__', ':', '_2F', '_', 'urn:air:', 'agent-'],
  members: [(n) => `k${n} = 'v' AND `, (n) => `_2F${n}`],
};

export const TEXTS: Marks = {
  samples: [
    'plain words of a description',
    'Bearer abcdefghijklmnop',
    's3cr3t-T0ken-0123456789abcdef',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
  ],
  tokens: [
    ' ',
    '\t',
    '\n',
    'a',
    'A',
    '\u0000',
    '\u202e',
    '\ud800',
    '\u{1f600}',
    'e\u0301',
    'Bearer ',
    'Basic ',
    '%',
    '%25',
    '%61',
    '\\',
    '\\u0061',
    '&amp;',
    '&#97;',
    's3cr3t',
    'aaaaaaaa',
    'YWFh',
    '<',
    '"',
    '=',
  ],
  members: [(n) => `w${n} `, (n) => `s3cr3t-T0ken-${n}`],
};
