import { onTestFinished } from 'vitest';
import { startDnsServer } from '../../support/dns-server.ts';

/** TXT records by name; a record is its pieces. A name that is not there has none. */
export type Zone = Record<string, readonly (readonly string[])[]>;

/** A name server on loopback that knows TXT records only; returns its address. `zone` may be changed meanwhile. */
export async function openNameServer(zone: Zone): Promise<string> {
  const server = await startDnsServer((name, type) => {
    const records = zone[name];
    if (records === undefined) return { code: 'NXDOMAIN' };
    if (type !== 'TXT') return {};
    return { answers: records.map((pieces) => ({ type: 'TXT', name, ttl: 0, data: [...pieces] })) };
  });
  onTestFinished(server.close);
  return server.address;
}
