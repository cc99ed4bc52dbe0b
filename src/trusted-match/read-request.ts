import type { ErrorObject } from 'ajv/dist/2020.js';
import type { MatchOperation } from '../domain/trusted-match.ts';
import { hasDuplicateName } from './duplicate-names.ts';
import { withKnownLists } from './known-lists.ts';
import type { ContextRequest, ExposureRequest, IdentityRequest } from './messages.ts';
import { isPersonal, isPersonalUrl } from './personal-text.ts';
import { MatchProblem } from './problem.ts';
import {
  identityTokens,
  ownContext,
  type PublicContext,
  type PublicIdentity,
  personalReference,
} from './public-form.ts';
import { hasRandomRun } from './random-text.ts';
import { isReadable } from './readable-token.ts';
import { type CheckedRequest, compileRequest, matchSchema, publicSchema, type Schema } from './schemas.ts';
import { findUnknown, type UnknownMember } from './unknown-members.ts';

/** Reads the body of a request. Throws a MatchProblem; nothing of a refused body is kept. */
export type RequestReader<T> = (body: unknown) => T;

/** Reads context match requests: content without user data. */
export function contextReader(): RequestReader<ContextRequest> {
  return reader('context', compileRequest<ContextRequest>(matchSchema('context', 'request')), (request) =>
    refusePersonal(personalPlace(request)),
  );
}

/** Reads context match requests of the public protocol. */
export function publicContextReader(): RequestReader<PublicContext> {
  return reader('context', compileRequest<PublicContext>(publicSchema('context')), (request) =>
    refusePersonal(personalReference(request) ?? publicPlace(personalPlace(ownContext(request)))),
  );
}

/** Reads identity match requests of the public protocol. */
export function publicIdentityReader(): RequestReader<PublicIdentity> {
  return reader('identity', compileRequest<PublicIdentity>(publicSchema('identity')), (request) => {
    for (const token of identityTokens(request)) refuseReadableToken({ token });
  });
}

function refusePersonal(pointer: string | undefined): void {
  if (pointer === undefined) return;
  const detail = `${LEAKS.user_field}: ${pointer} looks like an identifier, a number or an address of a person`;
  throw new MatchProblem('user_data_in_context', detail, { pointer, leak: 'user_value' });
}

/** Where a place of our form is in the public one. */
function publicPlace(place: string | undefined): string | undefined {
  return place?.replace(/^\/(?:property|placement)(?=\/)/, '').replace(/^\/content\b/, '/context_signals');
}

/** Reads identity match requests: user tokens without page data. */
export function identityReader(): RequestReader<IdentityRequest> {
  const read = reader(
    'identity',
    compileRequest<IdentityRequest>(matchSchema('identity', 'request')),
    refuseReadableToken,
  );
  return withKnownLists(read, refuseReadableToken);
}

/** Reads exposure reports, which are of the identity side. */
export function exposureReader(): RequestReader<ExposureRequest> {
  return reader(
    'exposure',
    compileRequest<ExposureRequest>(matchSchema('exposure', 'request')),
    refuseReadableToken,
  );
}

function reader<T>(
  operation: MatchOperation,
  { check, schema }: CheckedRequest<T>,
  checkTexts: (request: T) => void,
): RequestReader<T> {
  return (body) => {
    const parsed = parse(body);
    const checked = check(parsed);
    if ('fault' in checked) throw refusal(operation, schema, parsed, checked.fault);
    if (hasDuplicateName(body as string, parsed))
      throw new MatchProblem('duplicate_field', 'duplicate field in an object of the body', { pointer: '' });
    checkTexts(checked.value);
    return checked.value;
  };
}

function parse(body: unknown): unknown {
  if (typeof body !== 'string' || body === '') throw new MatchProblem('bad_request', 'the body is empty');
  try {
    return JSON.parse(body);
  } catch {
    throw new MatchProblem('bad_request', 'the body is not valid JSON');
  }
}

/** Reports an unknown field before an invalid one, because unknown fields are counted as leaks. */
function refusal(
  operation: MatchOperation,
  schema: Schema,
  value: unknown,
  fault: ErrorObject,
): MatchProblem {
  const unknown = findUnknown(value, schema, operation);
  return unknown === undefined ? wrongMember(fault) : leakProblem(operation, unknown);
}

const LEAKS = {
  user_field: 'user data is not allowed in a context match',
  page_field: 'page data is not allowed in an identity match',
} as const;

/** The refusal of a member, header or parameter that no schema names. */
export function leakProblem(operation: MatchOperation, { pointer, leak }: UnknownMember): MatchProblem {
  const details = { pointer, leak };
  if (leak === 'user_field') return new MatchProblem('user_data_in_context', LEAKS.user_field, details);
  if (leak === 'page_field') return new MatchProblem('page_data_in_identity', LEAKS.page_field, details);
  const detail = `unknown field in a ${operation} request; send only the fields of its schema`;
  return new MatchProblem('unknown_field', detail, details);
}

function wrongMember({ instancePath, keyword, message, params }: ErrorObject): MatchProblem {
  const missing = keyword === 'required' ? `/${String(params.missingProperty)}` : '';
  const pointer = `${instancePath}${missing}`;
  const detail = `${pointer === '' ? 'the body' : pointer} ${missing === '' ? message : 'is missing'}`;
  return new MatchProblem('invalid_field', detail, { pointer });
}

/** The first place of a context match request that looks like personal data. */
function personalPlace({ property, placement, content, package_ids }: ContextRequest): string | undefined {
  if (content.url !== undefined && isPersonalUrl(content.url)) return '/content/url';
  if (isPersonal(property.property_id, 'id')) return '/property/property_id';
  if (isPersonal(placement.placement_id, 'id')) return '/placement/placement_id';
  if (content.content_id !== undefined && isPersonal(content.content_id, 'id')) return '/content/content_id';
  const inPieces = [
    property.property_id,
    placement.placement_id,
    content.content_id ?? '',
    ...(content.topics ?? []),
  ];
  if (hasRandomRun(inPieces.join('/'))) return '/content';
  return (
    personalItem(content.topics, 'id', '/content/topics') ??
    personalItem(content.keywords, 'words', '/content/keywords') ??
    personalItem(placement.formats, 'id', '/placement/formats') ??
    personalItem(package_ids, 'id', '/package_ids')
  );
}

function personalItem(
  items: readonly string[] | undefined,
  form: 'id' | 'words',
  place: string,
): string | undefined {
  const at = items?.findIndex((item) => isPersonal(item, form)) ?? -1;
  return at === -1 ? undefined : `${place}/${at}`;
}

function refuseReadableToken({ token }: { readonly token: string }): void {
  if (!isReadable(token)) return;
  const detail = `${LEAKS.page_field}: /token is readable; use random bytes or a keyed hash`;
  throw new MatchProblem('page_data_in_identity', detail, { pointer: '/token', leak: 'page_value' });
}
