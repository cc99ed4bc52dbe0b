import type { ContextRequest } from './messages.ts';
import { isPersonal, isPersonalUrl } from './personal-text.ts';
import { MatchProblem } from './problem.ts';

/** Requests of the public protocol, as schemas/trusted-match/public has them. */
export interface PublicContext {
  readonly request_id: string;
  readonly property_id?: string;
  readonly placement_id: string;
  readonly seller_agent_url?: string;
  readonly artifact_refs?: readonly { readonly type: ReferenceKind; readonly value: string }[];
  readonly context_signals?: {
    readonly topics?: readonly string[];
    readonly keywords?: readonly string[];
    readonly language?: string;
    readonly content_policies?: readonly string[];
  };
  readonly package_ids?: readonly string[];
}

export interface PublicIdentity {
  readonly request_id: string;
  readonly identities?: readonly { readonly user_token: string }[];
  /** Of the older form, which has one token. */
  readonly user_token?: string;
  readonly consent?: { readonly gdpr?: boolean; readonly tcf_consent?: string };
  readonly package_ids?: readonly string[];
}

const PUBLIC_TYPE = /"type"\s*:\s*"(?:context|identity)_match_request"/;
const ECHOED_ID = /"request_id"\s*:\s*"([\w-]{1,64})"/;

/** Whether a body is of the public form; ours has no member of that name. */
export function isPublicForm(body: unknown): body is string {
  return typeof body === 'string' && PUBLIC_TYPE.test(body);
}

/** The same request in our form, to be matched and looked through like any other. */
export function ownContext(request: PublicContext): ContextRequest {
  const { request_id, property_id = 'unnamed', placement_id, context_signals = {}, package_ids } = request;
  const { topics, keywords, language } = context_signals;
  return {
    request_id,
    property: { property_id },
    placement: { placement_id },
    content: { ...(topics && { topics }), ...(keywords && { keywords }), ...(language && { language }) },
    ...(package_ids && { package_ids }),
  };
}

/** The first place, beside those of our form, with a text that is somebody's, or could be. */
export function personalReference(request: PublicContext): string | undefined {
  const { seller_agent_url: seller, artifact_refs = [], context_signals } = request;
  if (seller !== undefined && isPersonalUrl(seller)) return '/seller_agent_url';
  const at = artifact_refs.findIndex(({ type, value }) => !IS_REFERENCE[type](value));
  if (at !== -1) return `/artifact_refs/${at}`;
  const policy = context_signals?.content_policies?.findIndex((one) => isPersonal(one, 'id')) ?? -1;
  return policy === -1 ? undefined : `/context_signals/content_policies/${policy}`;
}

const isName = (value: string) => !isPersonal(value, 'id') && !/[/:%]/.test(value);
/** What a public reference looks like; a telephone number has the check digit of a code one time in ten. */
const IS_REFERENCE = {
  url: (value: string) => /^https:\/\/[a-z0-9]/.test(value) && !isPersonalUrl(value),
  eidr: (value: string) => /^10\.5240\/(?:[\dA-F]{4}-){5}[\dA-Z]$/i.test(value),
  gracenote: (value: string) => /^(?:SH|EP|MV|SP)\d{12}$/.test(value),
  isrc: (value: string) => /^[A-Z]{2}-?[A-Z\d]{3}-?\d\d-?\d{5}$/.test(value),
  gtin: (value: string) => /^(?:\d{8}|\d{12,14})$/.test(value) && hasCheckDigit(value),
  isbn: (value: string) => isBookNumber(value.replaceAll('-', '')),
  rss_guid: isName,
  custom: isName,
} as const;
type ReferenceKind = keyof typeof IS_REFERENCE;

/** GS1: from the right, every second digit counts three times. */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reduceRight(
    (total, digit, at) => total + Number(digit) * ((digits.length - at) % 2 === 0 ? 3 : 1),
    0,
  );
  return sum % 10 === 0;
}

function isBookNumber(value: string): boolean {
  if (/^97[89]\d{10}$/.test(value)) return hasCheckDigit(value);
  if (!/^\d{9}[\dX]$/.test(value)) return false;
  const sum = [...value].reduce(
    (total, sign, at) => total + (10 - at) * (sign === 'X' ? 10 : Number(sign)),
    0,
  );
  return sum % 11 === 0;
}

/** The tokens of an identity match. Throws a MatchProblem where there is none, or no consent that the law asks for. */
export function identityTokens({ identities, user_token, consent }: PublicIdentity): readonly string[] {
  if (consent?.gdpr === true && consent.tcf_consent === undefined)
    throw new MatchProblem('invalid_field', '/consent/tcf_consent is missing: gdpr is true', {
      pointer: '/consent/tcf_consent',
    });
  const tokens = [
    ...(identities ?? []).map((one) => one.user_token),
    ...(user_token === undefined ? [] : [user_token]),
  ];
  if (tokens.length === 0)
    throw new MatchProblem('invalid_field', '/identities is missing', { pointer: '/identities' });
  return tokens;
}

/** The body of an error there, with ours beside it. The id is repeated where it has the form of one. */
export function publicProblemBody({ code, status, message, pointer }: MatchProblem, body: string): string {
  return JSON.stringify({
    type: 'error',
    request_id: ECHOED_ID.exec(body)?.[1] ?? '',
    code: PUBLIC_CODES[status] ?? 'invalid_request',
    message,
    reason: code,
    pointer,
  });
}

const PUBLIC_CODES: Readonly<Record<number, string>> = {
  429: 'rate_limited',
  500: 'internal_error',
  503: 'provider_unavailable',
};
