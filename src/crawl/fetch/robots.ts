import { LRUCache } from 'lru-cache';
import { NO_ROBOTS_RULES, type RobotsRule, type RobotsRules } from '../../domain/robots.ts';
import type { RobotsCache, RobotsEntry } from '../../ports/robots-cache.ts';
import { decodeBody } from './body.ts';
import { FetchGuardError } from './failure.ts';
import { CALL_REDIRECTS, checkUrl, isRedirect, nextHop } from './url-rule.ts';
import type { VisitHttp } from './visit-http.ts';

/** More of a robots.txt is not read (RFC 9309, section 2.5, asks for 500 KiB at least). */
const MAX_BYTES = 512 << 10;
/** What it may grow to when it is decoded, before it is cut. */
const MAX_DECODED = 1 << 20;
const KEPT_MS = 24 * 3_600_000;
/** A robots.txt that hangs must leave time for the file itself. */
const LIMIT_MS = 5_000;
/** Timeout for reading the robots.txt cache, so that a database that hangs does not use up the visit's deadline. */
const CACHE_MS = 1_000;

interface Read {
  readonly rules: RobotsRules;
  /** Whether there was an answer that holds for a day. */
  readonly lasting: boolean;
}

/** Asks the robots.txt of every origin that a visit reads files from, once a visit and once a day. */
export class RobotsGate {
  /** The longest delay that a robots.txt asked us for, milliseconds. */
  crawlDelayMs = 0;
  readonly #http: VisitHttp;
  readonly #limitMs: number;
  readonly #headers: readonly string[];
  readonly #rules = new Map<string, Promise<RobotsRules>>();

  constructor(http: VisitHttp, deadlineMs: number) {
    this.#http = http;
    this.#limitMs = Math.min(LIMIT_MS, Math.ceil(deadlineMs / 3));
    this.#headers = ['accept', 'text/plain, */*;q=0.1', ...http.context.fileHeaders];
  }

  /** @throws FetchGuardError `robots` when a group that names us forbids the path */
  async check(url: URL): Promise<void> {
    const rules = await this.#rulesOf(url);
    if (!robotsAllow(rules, url.pathname + url.search))
      throw new FetchGuardError('robots', `robots.txt of ${url.host} disallows this path for our User-Agent`);
  }

  #rulesOf(url: URL): Promise<RobotsRules> {
    const known = this.#rules.get(url.origin);
    if (known !== undefined) return known;
    const found = this.#find(url);
    this.#rules.set(url.origin, found);
    return found;
  }

  async #find(url: URL): Promise<RobotsRules> {
    const { robots, clock } = this.#http.context;
    const entry = await this.#kept(url.origin);
    const leftMs = (entry?.expiresAt ?? 0) - clock.now();
    const fresh = entry !== undefined && leftMs > 0 && leftMs <= KEPT_MS; // more is of a clock that has been put back
    const { rules, lasting } = fresh ? { rules: entry.rules, lasting: false } : await this.#read(url);
    if (lasting) await robots.keep(url.origin, { rules, expiresAt: clock.now() + KEPT_MS });
    this.crawlDelayMs = Math.max(this.crawlDelayMs, rules.crawlDelayMs ?? 0);
    return rules;
  }

  /** A fault of the cache is not one of the site: it costs one request. */
  async #kept(origin: string): Promise<RobotsEntry | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.min(CACHE_MS, this.#limitMs));
    });
    try {
      return await Promise.race([this.#http.context.robots.find(origin), tooLong]);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** No answer, an error of the server, or one that cannot be read means allowed: it hides no published file. */
  async #read(url: URL): Promise<Read> {
    try {
      return await this.#follow(new URL('/robots.txt', url));
    } catch {
      return { rules: NO_ROBOTS_RULES, lasting: false };
    }
  }

  async #follow(first: URL): Promise<Read> {
    const visited = [first];
    for (let url = first; ; visited.push(url)) {
      checkUrl(url, 'https', this.#http.operated(url));
      const request = { url, headers: this.#headers, maxBytes: MAX_BYTES, cut: true, limitMs: this.#limitMs };
      const answer = await this.#http.collect(request);
      const { location } = answer.headers;
      if (isRedirect(answer.status, location)) {
        url = nextHop(CALL_REDIRECTS, visited, location);
        continue;
      }
      if (answer.status !== 200) return { rules: NO_ROBOTS_RULES, lasting: answer.status < 500 };
      const body = await decodeBody(answer.bytes, answer.encoding, MAX_DECODED);
      const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAX_BYTES)).toString(
        'utf8',
      );
      return { rules: parseRobots(text, this.#http.context.product), lasting: true };
    }
  }
}

const MAX_REMEMBERED = 100_000;

/** In this process only, of the origins that were visited last. */
export function createRobotsMemory(): RobotsCache {
  const entries = new LRUCache<string, RobotsEntry>({ max: MAX_REMEMBERED });
  return {
    find: (origin) => entries.get(origin),
    keep(origin, { rules, expiresAt }) {
      // Nearly every entry has no rules: one shared object for all of them keeps the cache small.
      entries.set(origin, {
        rules: rules.rules.length === 0 && rules.crawlDelayMs === undefined ? NO_ROBOTS_RULES : rules,
        expiresAt,
      });
    },
  };
}

/** More rules, or longer ones, for us alone are no honest wish. */
const MAX_RULES = 500;
const MAX_PATTERN = 500;
const MAX_CRAWL_DELAY_MS = 30_000;

/**
 * The rules of the groups that name our product token, merged (RFC 9309, section 2.2.1). A group for `*` does
 * not count: it is meant for crawlers of pages, and the files we read are published for machines.
 *
 * @param product the product token of our user agent, lower case
 */
export function parseRobots(text: string, product: string): RobotsRules {
  if (!text.toLowerCase().includes(product)) return NO_ROBOTS_RULES;
  const rules: RobotsRule[] = [];
  let crawlDelayMs: number | undefined;
  let named = false;
  let agentsBefore = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const { field, value } = parseLine(line);
    if (field === 'user-agent') {
      named = (agentsBefore && named) || namesUs(value, product);
      agentsBefore = true;
      continue;
    }
    if (field !== 'allow' && field !== 'disallow' && field !== 'crawl-delay') continue;
    agentsBefore = false;
    if (!named) continue;
    if (field === 'crawl-delay') crawlDelayMs = parseDelay(value) ?? crawlDelayMs;
    else if (value !== '' && value.length <= MAX_PATTERN && rules.length < MAX_RULES)
      rules.push({ allow: field === 'allow', pattern: normalEscapes(value) });
  }
  return crawlDelayMs === undefined ? { rules } : { rules, crawlDelayMs };
}

/**
 * Whether the rules let us read a path: the longest pattern that matches decides, and allow wins a draw
 * (RFC 9309, section 2.2.2).
 *
 * @param path path and query of the URL
 */
export function robotsAllow({ rules }: RobotsRules, path: string): boolean {
  if (rules.length === 0) return true;
  const normal = normalEscapes(path);
  let best: RobotsRule | undefined;
  for (const rule of rules) {
    const longer = best === undefined || rule.pattern.length > best.pattern.length;
    const draw = best !== undefined && rule.pattern.length === best.pattern.length && rule.allow;
    if ((longer || draw) && matches(rule.pattern, normal)) best = rule;
  }
  return best?.allow ?? true;
}

function parseLine(line: string): { readonly field: string; readonly value: string } {
  const content = line.split('#', 1)[0] ?? '';
  const colon = content.indexOf(':');
  if (colon === -1) return { field: '', value: '' };
  return { field: content.slice(0, colon).trim().toLowerCase(), value: content.slice(colon + 1).trim() };
}

/** The token ends where its alphabet does: `agent-registry/0.1` names `agent-registry`. */
function namesUs(value: string, product: string): boolean {
  return /^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === product;
}

function parseDelay(value: string): number | undefined {
  const seconds = Number.parseFloat(value);
  return seconds >= 0 ? Math.min(seconds * 1_000, MAX_CRAWL_DELAY_MS) : undefined;
}

/** `*` matches anything and a final `$` the end. Each part is taken at its first place: linear, whatever the pattern. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const [head = '', ...parts] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  const tail = anchored ? parts.pop() : undefined;
  let at = head.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  return tail === undefined ? at === path.length : path.length - tail.length >= at && path.endsWith(tail);
}

/** Escapes in one spelling: octets beyond ASCII escaped, hexadecimal digits in upper case. */
function normalEscapes(text: string): string {
  const ascii = text.replace(/[\u0080-\uffff]+/g, (run) => encodeURIComponent(run.toWellFormed()));
  return ascii.replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}
