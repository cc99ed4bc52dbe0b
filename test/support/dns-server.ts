import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';

/** `silence` is no answer at all. */
export type DnsReply =
  | 'silence'
  | { readonly code?: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED'; readonly answers?: readonly Answer[] };

export interface DnsServer {
  /** As a resolver takes it: `127.0.0.1:port`. */
  readonly address: string;
  /** `TYPE name` of each query, in order. */
  readonly asked: readonly string[];
  close(): void;
}

/** Response codes (RFC 1035, section 4.1.1); the library sets the whole field of flags. */
const CODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;
const RECURSIVE = 0x0180;

/** A name server on loopback. `reply` may wait; names are lower case. */
export async function startDnsServer(
  reply: (name: string, type: string) => DnsReply | Promise<DnsReply>,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const answer = async (query: Buffer, port: number, address: string): Promise<void> => {
    const { id, questions = [] } = decode(query);
    const [question] = questions;
    if (question === undefined) return;
    asked.push(`${question.type} ${question.name}`);
    const made = await reply(question.name.toLowerCase(), question.type);
    if (made === 'silence') return;
    const flags = RECURSIVE | (made.code === undefined ? 0 : CODES[made.code]);
    const packet: Packet = { type: 'response', flags, questions, answers: [...(made.answers ?? [])] };
    socket.send(encode({ ...packet, ...(id !== undefined && { id }) }), port, address, () => {});
  };
  socket.on('message', (query, { port, address }) => void answer(query, port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, asked, close: () => void socket.close() };
}
