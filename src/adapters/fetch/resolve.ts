import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { judgeAddress } from './address.ts';
import { FetchGuardError, guardError } from './failure.ts';

/** Every address of a host name, in the order to try them; rejects like `dns.lookup` when there is none. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** One look-up by the system, all addresses of both families. */
export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
};

/**
 * The addresses that a host may be dialled at: all of them vetted, and all good or none used, so that a name
 * cannot mix a public address with a private one. A literal address is judged without a look-up.
 *
 * @param hostname as in a WHATWG URL: lower case, every IPv4 spelling already decimal, IPv6 without brackets
 * @throws FetchGuardError `dns` or `blocked`
 */
export async function vettedAddresses(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const addresses = isIP(hostname) === 0 ? await resolved(hostname, resolver) : [hostname];
  for (const address of addresses) {
    const verdict = judgeAddress(address);
    if (!verdict.ok) throw new FetchGuardError('blocked', `${hostname} is not dialled: ${verdict.reason}`);
  }
  return addresses;
}

async function resolved(hostname: string, resolver: Resolver): Promise<readonly string[]> {
  const addresses = await resolver(hostname).catch((error: unknown) => {
    const failure = guardError(error).failure;
    throw new FetchGuardError('dns', failure.code === 'dns' ? failure.detail : 'the look-up failed', error);
  });
  if (addresses.length === 0) throw new FetchGuardError('dns', 'the host name has no address');
  return addresses;
}
