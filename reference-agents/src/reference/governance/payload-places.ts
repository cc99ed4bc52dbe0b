import {
  elements,
  isObject,
  type JsonObject,
  member,
  parseAgentUrl,
  pointerOf,
  trimEnd,
} from '@agent-registry/surface/agent-kit';

/** A text in a payload and where it stands. */
export interface PayloadPlace {
  readonly value: string;
  readonly pointer: string;
}

export interface PayloadPlaces {
  readonly channels: readonly PayloadPlace[];
  readonly countries: readonly PayloadPlace[];
  /** Of addresses and bare domain names; lower case, without the dot of the root. */
  readonly hosts: readonly PayloadPlace[];
}

/** Reads a payload once: the texts in lists named `channels` or `countries`, and all hosts, wherever they are. */
export function payloadPlaces(payload: JsonObject): PayloadPlaces {
  const places = {
    channels: [] as PayloadPlace[],
    countries: [] as PayloadPlace[],
    hosts: [] as PayloadPlace[],
  };
  visitTexts(payload, (value, steps) => {
    const list = steps.at(-2);
    const host = hostIn(value);
    if (list === 'channels' || list === 'countries') places[list].push({ value, pointer: pointerOf(steps) });
    if (host !== undefined) places.hosts.push({ value: host, pointer: pointerOf(steps) });
  });
  return places;
}

/** Whether a host is one of the domains, in lower case, or below one. */
export function isWithin(host: string, domains: ReadonlySet<string>): boolean {
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (domains.has(rest)) return true;
    if (!rest.includes('.')) return false;
  }
}

/** Every text with the way to it. The depth is bounded before a payload gets here (src/protocol/bounds.ts). */
function visitTexts(
  value: unknown,
  visit: (text: string, steps: readonly (string | number)[]) => void,
  steps: (string | number)[] = [],
): void {
  if (typeof value === 'string') visit(value, steps);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) visitTexts(item, visit, [...steps, index]);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) visitTexts(member, visit, [...steps, name]);
}

/** What the URL parser takes for the dot of a host: escaped ones and those of other scripts too. */
const DOT = /[.%\u3002\uff0e\uff61]/;

/** The host of a text that is an address, with a scheme or without, or a bare domain name. */
function hostIn(text: string): string | undefined {
  if (text.length > 2_048 || !DOT.test(text)) return undefined;
  // With a port and no scheme, what stands before the colon would be read as a scheme.
  return hostOf(text) ?? hostOf(`https://${text.trim()}`);
}

function hostOf(address: string): string | undefined {
  const host = trimEnd(URL.parse(address)?.hostname.toLowerCase() ?? '', '.');
  return host.includes('.') ? host : undefined;
}

/** Where a payload may name the agent whose task it is: as a text, or in an object as its URL. */
const SELLER_MEMBERS = [
  'seller_agent_url',
  'seller_url',
  'seller_agent',
  'seller',
  'sales_agent_url',
  'sales_agent',
  'agent_url',
  'rights_agent',
  'signal_id',
] as const;
const URL_MEMBERS = ['agent_url', 'url'] as const;

/**
 * The agents that a payload itself names as those whose task it is, each once: in members of its own or of packages, else
 * as the homes of the formats that are ordered. Addresses of creatives and destinations are other agents.
 */
export function sellersIn(payload: unknown): readonly string[] {
  const parts = [payload, ...elements(member(payload, 'packages'))];
  const named = parts.flatMap((part) => SELLER_MEMBERS.flatMap((name) => addressIn(member(part, name))));
  const formats = parts.flatMap((part) =>
    elements(member(part, 'format_ids')).flatMap((format) => addressIn(format)),
  );
  return [...new Set(named.length > 0 ? named : formats)];
}

function addressIn(value: unknown): readonly string[] {
  const texts = [value, ...URL_MEMBERS.map((name) => member(value, name))];
  return texts.flatMap((text) => {
    const parsed = typeof text === 'string' && text.length <= 2_048 ? parseAgentUrl(text) : undefined;
    return parsed?.ok ? [parsed.url] : [];
  });
}
