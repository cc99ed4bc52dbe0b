import { NO_ROBOTS_RULES, type RobotsRule, type RobotsRules } from '../../domain/robots.ts';

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
