import { defined } from '../base/present.ts';
import type { AuthorisationEntry } from '../domain/declaration.ts';
import { cleanText } from '../domain/text.ts';
import { at, has, type FilePart, readLabels, readString } from './fields.ts';
import { publishersOf } from './publishers-of.ts';
import { readDeclaredAgent } from './read-agent-url.ts';
import { readLimits } from './read-limits.ts';
import { readScope } from './read-scope.ts';
import { readSigningKeys } from './read-signing-keys.ts';

const MAX_AUTHORIZED_FOR = 500;

/** One element of `authorized_agents[]`; undefined, with findings, when it cannot be counted. */
export function readEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  if (address === undefined) return undefined;
  const authorizedFor = readAuthorizedFor(entry);
  const scope = readScope(entry);
  const limits = readLimits(entry);
  if (scope === undefined || limits === undefined) return undefined;
  if (!entry.file.takeEntry(publishersOf(scope), entry.pointer)) return undefined;
  const signingKeys = readSigningKeys(entry);
  return { pointer: entry.pointer, ...address, ...defined({ authorizedFor }), scope, limits, signingKeys };
}

/** One element of the simple variant's `agents[]` (specification, 4.3): protocol and capabilities are claims. */
export function readSimpleEntry(entry: FilePart): AuthorisationEntry | undefined {
  const address = readDeclaredAgent(entry, 'url');
  if (address === undefined || !entry.file.takeEntry([], entry.pointer)) return undefined;
  const claimedProtocol = readString(entry, 'protocol', 100);
  const capabilities = readLabels(entry, 'capabilities');
  const claimedCapabilities = capabilities.length > 0 ? capabilities : undefined;
  const claims = defined({ claimedProtocol, claimedCapabilities });
  return {
    pointer: entry.pointer,
    ...address,
    scope: { type: 'all' },
    limits: {},
    signingKeys: [],
    ...claims,
  };
}

/** Wanted by the format, but only a text for people: the entry stands without it. */
function readAuthorizedFor(entry: FilePart): string | undefined {
  const value = entry.value.authorized_for;
  const { report } = entry.file;
  if (!has(entry, 'authorized_for')) report.add('authorized_for_missing', entry.pointer);
  else if (typeof value === 'string' && (value === '' || value.length > MAX_AUTHORIZED_FOR)) {
    report.add('authorized_for_length', at(entry, 'authorized_for'), `${value.length} characters`);
    return cleanText(value).slice(0, MAX_AUTHORIZED_FOR).toWellFormed() || undefined;
  }
  return readString(entry, 'authorized_for', MAX_AUTHORIZED_FOR);
}
