import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** TXT records by name; a record is its pieces. A name that is not there has none. */
export type Zone = Record<string, readonly (readonly string[])[]>;

const TXT = 16;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** A name server on loopback that knows TXT records only; returns its address. `zone` may be changed meanwhile. */
export async function openNameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    socket.send(answerTo(query, zone), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}

/** RFC 1035, section 4: a header of 12 bytes, the question, the answers. */
function answerTo(query: Buffer, zone: Zone): Buffer {
  const { name, end } = questionName(query);
  const isTxt = query.readUInt16BE(end) === TXT;
  const records = (isTxt ? zone[name.toLowerCase()] : undefined) ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (name.toLowerCase() in zone ? NO_ERROR : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12, end + 4), ...records.map(txtRecord)]);
}

function questionName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function txtRecord(pieces: readonly string[]): Buffer {
  const data = Buffer.concat(pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])));
  const fixed = Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 0, 0, 0]); // the question's name, TXT, IN, kept for 0 s
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}
