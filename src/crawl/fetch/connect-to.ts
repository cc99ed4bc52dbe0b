import { normalHost } from '../../domain/agent-url.ts';
import { RegistryError } from '../../errors.ts';

/** One line of the operator's table: connections for `pattern` go to the origin `target` instead. */
export interface ConnectTo {
  /** A host name, `*.example` for every host under it, or `*`; lower case A-labels. */
  readonly pattern: string;
  /** An origin, http or https, any address: it is the operator's word. */
  readonly target: URL;
}

const HINT = "write it as 'news.example=http://127.0.0.1:4000'";

/**
 * Reads `HOST=ORIGIN` specs of the command line.
 *
 * @throws RegistryError `usage` with the spec that is wrong, or for a pattern that is given two targets
 */
export function parseConnectTo(specs: readonly string[]): readonly ConnectTo[] {
  const entries = specs.map((spec) => parseSpec(spec, `'${spec}'`));
  refuseContradictions(entries);
  return entries;
}

/**
 * Reads a connect-to file: one `HOST=ORIGIN` a line, empty lines and lines that start with `#` skipped.
 *
 * @throws RegistryError `usage` with the line number
 */
export function parseConnectToFile(text: string): readonly ConnectTo[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const entries = lines
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => parseSpec(line, `line ${number} of the connect-to file`));
  refuseContradictions(entries);
  return entries;
}

function parseSpec(spec: string, where: string): ConnectTo {
  const equals = spec.indexOf('=');
  if (equals === -1) throw usage(`${where} has no '='`);
  const pattern = parsePattern(spec.slice(0, equals).trim());
  if (pattern === undefined) throw usage(`${where} does not start with a host name, '*.domain' or '*'`);
  const target = URL.parse(spec.slice(equals + 1).trim());
  if (target === null || !isOrigin(target))
    throw usage(`${where} does not name an http or https origin as its target`);
  return { pattern, target };
}

function parsePattern(text: string): string | undefined {
  if (text === '*') return text;
  const prefix = text.startsWith('*.') ? '*.' : '';
  const host = normalHost(text.slice(prefix.length));
  return host === undefined ? undefined : prefix + host;
}

function isOrigin(url: URL): boolean {
  const http = url.protocol === 'http:' || url.protocol === 'https:';
  return (
    http && url.username === '' && url.password === '' && url.pathname === '/' && url.search + url.hash === ''
  );
}

function refuseContradictions(entries: readonly ConnectTo[]): void {
  const seen = new Map<string, string>();
  for (const { pattern, target } of entries) {
    const earlier = seen.get(pattern);
    if (earlier !== undefined && earlier !== target.origin)
      throw usage(`'${pattern}' is mapped to two targets`);
    seen.set(pattern, target.origin);
  }
}

function usage(message: string): RegistryError {
  return new RegistryError('usage', message, { hint: HINT });
}
