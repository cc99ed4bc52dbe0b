import { parseDomain } from '../domain/domain-name.ts';
import { trimEnd } from '../domain/text.ts';

/** One setting: what it is, what it is without one, where it comes from, and whether a log may show it. */
export interface Setting<T> {
  readonly description: string;
  readonly env: string;
  readonly fallback: T;
  readonly secret?: true;
  readonly parse: (text: string) => T | undefined;
}

export function setting<T>(
  env: string,
  description: string,
  fallback: T,
  parse: Setting<T>['parse'],
  secret = false,
): Setting<T> {
  return { env, description, fallback, parse, ...(secret && { secret: true as const }) };
}

/** The variables that a setting can be read from. */
export function variablesOf({ env, secret }: Pick<Setting<unknown>, 'env' | 'secret'>): readonly string[] {
  return secret === true ? [env, `${env}_FILE`] : [env];
}

/*
 * What the text of a variable stands for: each function gives its value, or undefined for one that is not accepted.
 */

/** Any text but an empty one. */
export const text = (value: string) => (value === '' ? undefined : value);

/** A page or a mailbox where crawled sites can reach the operator. */
export const contactUrl = (value: string) =>
  ['https:', 'http:', 'mailto:'].includes(URL.parse(value)?.protocol ?? '') ? value : undefined;

/** A base URL without a trailing slash. */
export const publicUrl = (value: string) => {
  const url = URL.parse(value);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  if (url.username + url.password + url.search + url.hash !== '' || /[?#\s]/.test(value)) return undefined;
  return trimEnd(url.href, '/');
};

/** `sqlite:PATH` or `postgres://…`. */
export const storeAddress = (value: string) =>
  /^sqlite:./.test(value) || isPostgresAddress(value) ? value : undefined;

/**
 * One that can be taken apart in one way only: a password with a bare `@`, `/`, `?` or `#` would end up in the name of
 * the host or the database.
 */
function isPostgresAddress(value: string): boolean {
  if (!/^postgres(ql)?:\/\/[^\s]+$/.test(value)) return false;
  const url = URL.parse(value);
  if (url === null || /[@#]/.test(url.pathname + url.search + url.hash)) return false;
  return [url.username, url.password, url.hostname, url.pathname, url.search].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** `records`, or the addresses of the nodes of an OpenSearch with commas between. */
export const indexAddress = (value: string) =>
  value === 'records' || value.split(',').every(isEngineAddress) ? value : undefined;

/** Without TLS a password and every answer could be read and changed on the way. */
function isEngineAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.search !== '' || url.hash !== '') return false;
  if (/%(?![\da-f]{2})/i.test(url.username + url.password)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** `directory:PATH`, or an address of S3's API with the key in it, its bucket as the first part of the path. */
export const bodiesAddress = (value: string) => {
  if (/^directory:./.test(value)) return value;
  const url = URL.parse(value);
  if (url === null || url.hash !== '' || !/^(\?region=[a-z0-9-]+)?$/.test(url.search)) return undefined;
  const { username, password, pathname } = url;
  if (!/^(\/[\w.-]+)+\/?$/.test(pathname) || username === '' || password === '') return undefined;
  const address = new URL(pathname, url.origin).href;
  return isDecodable(username) && isDecodable(password) && isEngineAddress(address) ? value : undefined;
};

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

/** What OpenSearch takes at the beginning of a name, short enough for what follows. */
export const indexPrefix = (value: string) => (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(value) ? value : undefined);

/** A whole number between two that are allowed themselves. */
export const integer = (min: number, max: number) => (value: string) => {
  const number = Number(value);
  return Number.isInteger(number) && number >= min && number <= max ? number : undefined;
};

/** Texts with commas between. */
export const list = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** One of a closed list. */
export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (value: string) =>
    values.find((candidate) => candidate === value);

/** An address on the web, with no user in it. */
export const httpUrl = (value: string) => {
  const url = URL.parse(value);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isWeb && url.username + url.password === '' ? value : undefined;
};

/** Several of them, with commas between. */
export const httpUrls = (value: string) => {
  const urls = value === 'none' ? [] : list(value);
  return urls.every((url) => httpUrl(url) !== undefined) ? urls : undefined;
};

/** A scheme, a host and perhaps a port, as in an Origin header. */
export const webOrigin = (value: string) =>
  httpUrl(value) !== undefined && URL.parse(value)?.origin === value ? value : undefined;

/** A domain name; its normal form. */
export const domain = (value: string) => {
  const parsed = parseDomain(value);
  return parsed.ok ? parsed.domain : undefined;
};
