import { gzipSync } from 'node:zlib';
import { PARENT } from './publishers.ts';

/** What a hostile server sends for its adagents.json. */
export interface HostileFile {
  readonly body: Buffer;
  readonly encoding?: 'gzip';
  /** Sends the first half at once, and of the rest so many bytes every 200 ms. */
  readonly dripBytes?: number;
}

const MIB = 1024 * 1024;
/** Just under what is read of a domain's own file, and of the target of a reference. */
const OWN_BYTES = 5 * MIB - 4_096;
const TARGET_BYTES = 20 * MIB - 4_096;
/** A finding, so that places are looked for. */
const HTTP = '{"url": "http://agent-0.example/"}';
const repeat = (text: string, bytes: number, most = Number.POSITIVE_INFINITY): string =>
  text.repeat(Math.max(1, Math.min(most, Math.floor(bytes / text.length))));
const listed = (one: (at: number) => string, bytes: number, most: number): string => {
  const count = Math.min(most, Math.floor(bytes / (one(99_999).length + 1)));
  return Array.from({ length: count }, (_, at) => one(at)).join(',');
};
const entry = (scope: string): string =>
  `{"url": "https://agent-0.${PARENT}/mcp", "authorized_for": "x", ${scope}}`;
const file = (...entries: readonly string[]): string => `{"authorized_agents": [${entries.join(',')}]}`;
const selecting = (selectors: string): string =>
  file(entry(`"authorization_type": "publisher_properties", "publisher_properties": [${selectors}]`));

/** Each makes about so many bytes, or as many as the bound on values lets pass. */
const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  blanks: (n) => `{"authorized_agents": [${HTTP}]${repeat(' ', n)}}`,
  'line ends': (n) => `{"authorized_agents": [${HTTP}]${repeat('\r\n', n)}}`,
  escapes: (n) =>
    file(
      HTTP,
      listed(() => `"${repeat('\\"', 60_000)}"`, n, 1_000),
    ),
  'repeated keys': (n) => file(`{${listed(() => '"url": "http://x"', n, 900_000)}}`),
  'different keys': (n) => file(`{${listed((at) => `"key-${at}":1`, n, 900_000)}}`),
  'broken at the end': (n) => file(listed((at) => `"https://a-${at}.example/"`, n, 900_000)).slice(0, -2),
  'blanks, then broken': (n) => `{"authorized_agents": []${repeat('\t', n)},}`,
  deep: (n) => `{"authorized_agents": ${repeat('[', n)}`,
  'many findings': (n) => file(listed(() => '{"url":"http://a","authorized_for":""}', n, 250_000)),
  'long strings': (n) =>
    file(
      HTTP,
      listed(() => `"${repeat('x', 60_000)}"`, n, 1_000),
    ),
  'one string': (n) => file(HTTP, `"${repeat('x', n)}"`),
  'small entries': (n) => file(listed(() => '{}', n, 450_000)),
  'many agents': (n) =>
    file(listed((at) => `{"url":"https://a-${at}.example/","authorized_for":"x"}`, n, 300_000)),
  'selectors with ids': (n) => {
    const ids = listed((at) => `"id-${at}"`, 1_500, 100);
    return selecting(
      listed(
        () => `{"publisher_domain":"a.example","selection_type":"by_id","property_ids":[${ids}]}`,
        n,
        8_000,
      ),
    );
  },
  'many domains': (n) => {
    const names = listed((at) => `"p-${at}.example"`, n, 900_000);
    return selecting(`{"selection_type": "all", "publisher_domains": [${names}]}`);
  },
  'tags times entries': (n) => {
    const identifiers = '[{"type":"domain","value":"a.example"}]';
    const property = (at: number) =>
      `{"property_id":"${at}","property_type":"website","name":"n","identifiers":${identifiers},"tags":["t"]}`;
    const scope = entry('"authorization_type": "property_tags", "property_tags": ["t"]');
    return `{"properties": [${listed(property, n / 2, 40_000)}], "authorized_agents": [${listed(() => scope, n / 2, 20_000)}]}`;
  },
  surrogates: (n) =>
    file(
      HTTP,
      listed(() => `"${repeat('\\ud83d', 60_000)}"`, n, 1_000),
    ),
  'long numbers': (n) =>
    file(
      HTTP,
      listed(() => '9'.repeat(5_000), n, 900_000),
    ),
};

/** The kinds that are more than a text. */
const FILES: Readonly<Record<string, (bytes: number) => HostileFile>> = {
  'byte order mark, UTF-16': (n) => ({ body: Buffer.from(`\ufeff${'{ }'.repeat(n / 6)}`, 'utf16le') }),
  'HTML page': (n) => ({ body: Buffer.from(`<!doctype html>${repeat('<p>not found</p>', n)}`) }),
  'gzip bomb': (n) => ({
    body: gzipSync(`{"authorized_agents": [${HTTP}]${repeat(' ', 8 * n)}}`),
    encoding: 'gzip',
  }),
  'packed as text is': (n) => {
    const body = gzipSync(file(listed((at) => `{"url":"https://a-${at * 7_919}.example/"}`, n, 300_000)));
    return { body, encoding: 'gzip' };
  },
  'slow drip': (n) => ({ body: Buffer.from(`{"authorized_agents": []${repeat(' ', n)}}`), dripBytes: 4_096 }),
};

export const HOSTILE_KINDS: readonly string[] = [...Object.keys(TEXTS), ...Object.keys(FILES)];

const made = new Map<string, HostileFile>();

/** The file of one kind: just under the bound of a domain's own file, or as the target of a reference. */
export function hostileFile(kind: string, place: 'own' | 'target'): HostileFile {
  const known = made.get(`${kind} ${place}`);
  if (known !== undefined) return known;
  const bytes = place === 'own' ? OWN_BYTES : TARGET_BYTES;
  const text = TEXTS[kind];
  const file = text === undefined ? FILES[kind]?.(bytes) : { body: Buffer.from(text(bytes)) };
  if (file === undefined) throw new Error(`there is no kind ${kind}`);
  made.set(`${kind} ${place}`, file);
  return file;
}
