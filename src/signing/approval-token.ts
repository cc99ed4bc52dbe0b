import { ambiguityOf } from './ambiguous-json.ts';

/*
 * The form of a governance approval: a JWS in its compact form (RFC 7515, section 7.1) whose parts are written in
 * the one way there is, so that no byte of it can be changed without showing.
 */

/** What `typ` says, so that no other token of the same key can stand in for an approval. */
export const APPROVAL_TYPE = 'governance-approval+jws';
/** Characters of a token at most. */
export const MAX_TOKEN = 8_192;

/** `intent`: an opinion, for nobody in particular. `execution`: for one agent, which may act on it once. */
export const APPROVAL_PHASES = ['intent', 'execution'] as const;
export type ApprovalPhase = (typeof APPROVAL_PHASES)[number];

export interface ApprovalHeader {
  readonly typ: unknown;
  readonly alg: unknown;
  readonly kid: unknown;
}

/** The claims as they stand in the token; times are epoch seconds. */
export interface ApprovalClaims {
  /** URL of the governance agent. */
  readonly iss: string;
  /** The plan. */
  readonly sub: string;
  /** URL of the agent whose task it is; always there with the phase `execution`. */
  readonly aud?: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly phase: ApprovalPhase;
  /** URL of the agent that may call the task. */
  readonly caller: string;
  readonly tool: string;
  /** SHA-256, base64url, of the canonical payload: `payloadHash`. */
  readonly plan_hash: string;
  readonly check_id?: string;
  readonly conditions?: readonly string[];
  readonly budget?: { readonly amount: number; readonly currency: string };
  readonly audit?: { readonly sequence: number; readonly hash: string };
}

export interface ApprovalParts {
  readonly header: ApprovalHeader;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The two objects of a token, not yet judged; a sentence why it is none. */
export function readParts(token: string): ApprovalParts | string {
  if (token.length > MAX_TOKEN) return `an approval has at most ${MAX_TOKEN} characters`;
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => !isExact(part)))
    return 'it is not three parts of base64url with dots between them';
  const [header, claims] = parts.slice(0, 2).map(objectOf);
  if (header === undefined || claims === undefined) return 'its header or its claims are no JSON object';
  if (Object.hasOwn(header, 'crit')) return 'its header asks for extensions, and none is known here';
  return { header: { typ: header.typ, alg: header.alg, kid: header.kid }, claims };
}

/** The claims when all are there and of their type; otherwise the name of the first that is not. */
export function readClaims(claims: Readonly<Record<string, unknown>>): ApprovalClaims | string {
  const wrong = Object.keys(CLAIMS).find((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return !CLAIMS[name]?.(value);
  });
  return wrong ?? (claims as unknown as ApprovalClaims);
}

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === 'string' && value !== '';
const seconds: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined || rule(value);

/** In the order in which they are looked at. */
const CLAIMS: Readonly<Record<string, Rule>> = {
  iss: text,
  sub: text,
  aud: optional(text),
  iat: seconds,
  nbf: seconds,
  exp: seconds,
  jti: (value) => text(value) && (value as string).length <= 255,
  phase: (value) => APPROVAL_PHASES.some((phase) => phase === value),
  caller: text,
  tool: text,
  plan_hash: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value),
  check_id: optional(text),
  conditions: optional((value) => Array.isArray(value) && value.every(text)),
  budget: optional(
    (value) =>
      isObject(value) && Number.isFinite(value.amount) && Number(value.amount) >= 0 && text(value.currency),
  ),
  audit: optional((value) => isObject(value) && seconds(value.sequence) && text(value.hash)),
};

/** Text with bits left over at its end stands for the same bytes as another text. */
function isExact(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}

/** Undefined for what is no JSON object, or has a name twice, so that two readers could see two claims. */
function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = Buffer.from(part, 'base64url');
  if (ambiguityOf(bytes) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
