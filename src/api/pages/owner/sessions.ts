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
import type { ApiKey } from '../../../ports/members.ts';
import type { Records } from '../../../ports/records.ts';
import type { KeptSession } from '../../../ports/sessions.ts';
import { type IdentifiedViewer, viewerOf } from '../../callers.ts';
import { HttpProblem } from '../../problem.ts';

/** What a browser that is signed in has; `secret` never leaves its cookie and the forms that it proves. */
export interface SignedIn extends KeptSession {
  readonly secret: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Only on the pages of owners. */
    session: SignedIn | undefined;
    /** A session was named that is there no more. */
    wasSignedIn: boolean | undefined;
  }
}

/** Where the cookie counts: no page that is the same for everybody and no operation of the API looks at it. */
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
  /** Who asks, by the cookie on a page of owners, and the public elsewhere; sets `session` and `wasSignedIn` of the request. */
  identify(request: FastifyRequest): Promise<IdentifiedViewer>;
  open(reply: FastifyReply, key: ApiKey): Promise<void>;
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The field that a form of this session has. */
  formToken(request: FastifyRequest): string;
  /** Whether a form comes for the first time. Throws an HttpProblem for one that this session was not given. */
  isFirst(request: FastifyRequest, token: string): Promise<boolean>;
}

/**
 * Sessions by a cookie that scripts cannot read. It holds a random secret; the records keep its hash and the id of the
 * key, so every process knows it and a key that is revoked or over ends its sessions at once.
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
      if (session === undefined || nonce === undefined) throw foreignForm('its token is not of this session');
      const until = Math.ceil(session.endsAt / 1_000);
      return nonces.remember({ key: `form ${session.hash}`, nonce, until }, clock.now() / 1_000);
    },
  };
}

/**
 * The name of the cookie and its attributes. Browsers take a `__Host-` cookie from this very host alone, over https: no
 * neighbour below the same domain can set one (RFC 6265bis, section 4.1.3.2). It has to have the path `/`, so the name has
 * the path of the registry instead, or two registries on one host would sign each other's members out.
 */
function sessionCookie(root: string, isSecure: boolean) {
  const [name, path] = isSecure
    ? [`__Host-registry-session${encodeURIComponent(root)}`, '/; Secure']
    : ['registry-session', `${root}${OWNER_PATH}`];
  return { name, bounds: `HttpOnly; SameSite=Strict; Path=${path}` };
}

/** Whether a request is for a page of owners: by its route, as one path can be written in many ways. */
export function isOwnersPage({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return url === OWNER_PATH || url.startsWith(`${OWNER_PATH}/`);
}

/**
 * Throws an HttpProblem for a form that another site sent, or nobody knows who: browsers say where a form comes from, by
 * Sec-Fetch-Site where the connection is trusted, by Origin everywhere.
 */
export function requireOwnSite(
  { headers, protocol, host }: FastifyRequest,
  baseUrl: string | undefined,
): void {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined ? site === 'same-origin' : isOwn(origin)) return;
  throw foreignForm('it does not come from a page of this registry');

  function isOwn(from: string | undefined): boolean {
    if (from === undefined) return false;
    return from === `${protocol}://${host}` || (baseUrl !== undefined && from === new URL(baseUrl).origin);
  }
}

function foreignForm(why: string): HttpProblem {
  return new HttpProblem(
    'bad_request',
    `the form is not taken: ${why}; open the page again and send it from there`,
  );
}

/**
 * The value of a cookie that is there once; whoever sets another one of that name gains nothing. Only the space that
 * browsers put before a cookie is taken away: `trim` takes other white space too, and a neighbour may set a cookie
 * whose name is that of ours behind a no-break space.
 */
function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.replace(/^ /, ''))
    .filter((pair) => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined;
}
