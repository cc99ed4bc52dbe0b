import { normalHost } from './agent-url.ts';
import { isLoopbackHost } from './ownership.ts';

/**
 * The one origin that consent covers (RFC 6454: scheme, host and port): that of the agent whose owner has proven control,
 * or of the URL that an operator named. Nothing of a run leaves it: no call, card, stream, redirect or clean-up. It is a
 * class of its own so that no other text can stand in its place.
 */
export class ProvenOrigin {
  readonly #origin: string;

  private constructor(origin: string) {
    this.#origin = origin;
  }

  /** The origin of an agent's URL, as declared or canonical. Throws a TypeError for a relative one. */
  static of(agent: string): ProvenOrigin {
    return new ProvenOrigin(originOf(new URL(agent)));
  }

  /** Whether a request to the URL stays where consent was given; one that is no URL does not. */
  holds(url: string | URL): boolean {
    const parsed = URL.parse(String(url));
    return parsed !== null && originOf(parsed) === this.#origin;
  }

  /** Why a URL is not called, as a sentence: it names where that `what` leads, and nothing of the URL but its origin. */
  refusalOf(url: URL, what: string): string {
    const there = originOf(url).slice(0, 300);
    return `${what} leads to ${there}, which is outside the agent's origin ${this.#origin} and was not called`;
  }

  /**
   * Whether a credential may be sent there: over https, or to this machine, which no agent can be registered at and only
   * an operator can name. Everywhere else the network between could read it.
   */
  get takesCredentials(): boolean {
    const { protocol, hostname } = new URL(this.#origin);
    return protocol === 'https:' || isLoopbackHost(hostname);
  }

  /** As in `https://sales.nova.example:8443`. */
  toString(): string {
    return this.#origin;
  }
}

/** Its host in the form that an agent's identity has. */
function originOf(url: URL): string {
  const { protocol, hostname, port } = url;
  return `${protocol}//${normalHost(hostname) ?? hostname}${port === '' ? '' : `:${port}`}`;
}
