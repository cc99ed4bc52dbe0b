import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  formNonce,
  newFormToken,
  newSecret,
  SESSION_MS,
  SESSIONS_OF_ONE_KEY,
  secretHash,
} from '../../../owners/secrets.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Records } from '../../../ports/records.ts';
import type { ApiKey, KeptSession } from '../../../records/owners/keys.ts';
import { type IdentifiedViewer, viewerOf } from '../../callers.ts';
import { HttpProblem } from '../../problem.ts';

/** An open session; `secret` is only in its cookie and in the tokens of its forms. */
export interface SignedIn extends KeptSession {
  readonly secret: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Only on the pages of owners. */
    session: SignedIn | undefined;
    /** The cookie names a session that has ended. */
    wasSignedIn: boolean | undefined;
  }
}

/** The cookie is read below this path only: public pages and operations of the API ignore it. */
export const OWNER_PATH = '/my';

export interface SessionsParts {
  readonly records: Pick<Records, 'sessions' | 'keys' | 'nonces'>;
  readonly clock: Clock;
  /** Of the public address, '' for none. */
  readonly root: string;
  /** The public address; absent: unknown. */
  readonly baseUrl?: string;
}

export interface Sessions {
  /** The viewer, by the cookie on a page of owners, and the public elsewhere; sets `session` and `wasSignedIn` of the request. */
  identify(request: FastifyRequest): Promise<IdentifiedViewer>;
  open(reply: FastifyReply, key: ApiKey): Promise<void>;
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The token for a form of this session. */
  formToken(request: FastifyRequest): string;
  /** Whether a form is sent for the first time. Throws an HttpProblem for a token of another session. */
  isFirst(request: FastifyRequest, token: string): Promise<boolean>;
}

/**
 * Sessions with a cookie that scripts cannot read. It holds a random secret; the records store its hash and the id of the
 * key, so every process knows it, and the revocation or expiry of a key ends its sessions at once.
 */
export function createSessions({ records, clock, root, baseUrl }: SessionsParts): Sessions {
  const { sessions, keys, nonces } = records;
  const isSecure = baseUrl?.startsWith('https:') === true;
  const { name, bounds } = sessionCookie(root, isSecure);
  const found = async (secret: string) => {
    const hash = secretHash(secret);
    const session = hash === undefined ? undefined : await sessions.find(hash, clock.now());
    const key = session && (await keys.find(session.keyId));
    return session && key && { session, identified: viewerOf(key, clock.now()) };
  };
  return {
    async identify(request) {
      if (!isOwnersPage(request)) return { viewer: { kind: 'public' } };
      const secret = cookieOf(request.headers.cookie, name);
      const known = secret === undefined ? undefined : await found(secret);
      const isOpen = known?.identified.viewer.kind === 'member';
      request.wasSignedIn = secret !== undefined && !isOpen;
      if (secret === undefined || known === undefined || !isOpen) return { viewer: { kind: 'public' } };
      request.session = { ...known.session, secret };
      return known.identified;
    },
    async open(reply, { id: keyId, member, expiresAt = Number.POSITIVE_INFINITY }) {
      const secret = newSecret();
      const openedAt = clock.now();
      const endsAt = Math.min(openedAt + SESSION_MS, expiresAt);
      const hash = secretHash(secret) as string;
      await sessions.open({ hash, keyId, member, openedAt, endsAt }, SESSIONS_OF_ONE_KEY);
      const age = Math.floor((endsAt - openedAt) / 1_000);
      reply.header('set-cookie', `${name}=${secret}; Max-Age=${age}; ${bounds}`);
    },
    async close({ session }, reply) {
      if (session !== undefined) await sessions.close(session.hash);
      reply.header('set-cookie', `${name}=; Max-Age=0; ${bounds}`);
    },
    formToken: ({ session }) => (session === undefined ? '' : newFormToken(session.secret)),
    async isFirst({ session }, token) {
      const nonce = session && formNonce(session.secret, token);
      if (session === undefined || nonce === undefined)
        throw foreignForm('its token belongs to another session');
      const until = Math.ceil(session.endsAt / 1_000);
      return nonces.remember({ key: `form ${session.hash}`, nonce, until }, clock.now() / 1_000);
    },
  };
}

/**
 * The name of the cookie and its attributes. Browsers accept a `__Host-` cookie only from this host over https, so another
 * host of the same domain cannot set one (RFC 6265bis, section 4.1.3.2). Its path must be `/`, so the name contains the path
 * of the registry instead; otherwise two registries on one host would overwrite each other's sessions.
 */
function sessionCookie(root: string, isSecure: boolean) {
  const [name, path] = isSecure
    ? [`__Host-registry-session${encodeURIComponent(root)}`, '/; Secure']
    : ['registry-session', `${root}${OWNER_PATH}`];
  return { name, bounds: `HttpOnly; SameSite=Strict; Path=${path}` };
}

/** Whether a request is for a page of owners: by its route, as one path can be spelled in many ways. */
export function isOwnersPage({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return url === OWNER_PATH || url.startsWith(`${OWNER_PATH}/`);
}

/**
 * Throws an HttpProblem for a form from another or an unknown site. Browsers send its origin: in Sec-Fetch-Site on trusted
 * connections, in Origin everywhere.
 */
export function requireOwnSite(
  { headers, protocol, host }: FastifyRequest,
  baseUrl: string | undefined,
): void {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined ? site === 'same-origin' : isOwn(origin)) return;
  throw foreignForm('it was not sent from a page of this registry');

  function isOwn(from: string | undefined): boolean {
    if (from === undefined) return false;
    return from === `${protocol}://${host}` || (baseUrl !== undefined && from === new URL(baseUrl).origin);
  }
}

function foreignForm(why: string): HttpProblem {
  return new HttpProblem(
    'bad_request',
    `form refused: ${why}; open the page again and send the form from there`,
  );
}

/**
 * The value of a cookie that is present exactly once, so that another cookie of the same name gains nothing. Only the space
 * that browsers put before a cookie is removed: `trim` would also remove a no-break space, with which a cookie of another
 * host could imitate the name.
 */
function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.replace(/^ /, ''))
    .filter((pair) => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined;
}
