import { setImmediate } from 'node:timers/promises';
import { entityTag } from './answers.ts';
import type { RenderedBody } from './list-cache.ts';

/** Bytes that are read and written between two breaks, a millisecond's work. One record may be as long as an answer. */
const PART = 262_144;
/** Rounds of the event loop in a break: in each, one connection is taken in or one request begun. */
const ROUNDS_BETWEEN = 12;

/** Lets everybody come in between who has come meanwhile. */
export async function letOthersIn(): Promise<void> {
  for (let round = 0; round < ROUNDS_BETWEEN; round += 1) await setImmediate();
}

/** An answer ends before it has more bytes: clients stop reading there. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes of an answer beside its records. */
const TAIL_BYTES = 4_096;

/** Bytes of a JSON text in UTF-8 that stand among others. */
export interface ByteRange {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** A JSON text of a list, in parts. */
export interface ListItem {
  readonly parts: readonly (string | ByteRange)[];
  /** Differs wherever the parts differ. */
  readonly digest: string;
}

/** As one text. */
export function itemText({ parts }: ListItem): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.bytes.toString('utf8', part.from, part.to)))
    .join('');
}

/** The most bytes that it can have: three a character. */
function mostBytes({ parts }: ListItem): number {
  let bytes = 0;
  for (const part of parts) bytes += typeof part === 'string' ? part.length * 3 : part.to - part.from;
  return bytes;
}

/** A list of JSON texts that becomes bytes while it is made: what is kept as text, each garbage collection would copy. */
export interface ListBody {
  /** Of texts. */
  readonly count: number;
  /** Whether the answer has at most 2 MiB with this text. */
  hasRoomFor(item: ListItem): boolean;
  /** Adds a text, for which so many bytes were read; a promise for a break when it is time for one. */
  add(item: ListItem, read: number): Promise<void> | undefined;
  /** The members behind the list, without the brace that opens them. */
  end(members: string): Pick<RenderedBody, 'body' | 'etag' | 'giveBack'>;
}

const COMMA = 0x2c;

/**
 * Rooms of bodies that have been sent, for the next ones: memory that is new for each answer costs more than all else of it,
 * as the kernel gives it page by page.
 */
const rooms: Buffer[] = [];
/** Answers that are being sent at the same time; each room has up to some 2 MiB. */
const MAX_ROOMS = 16;
const NO_ROOM = Buffer.alloc(0);

/** `form` is what the digests of the texts do not tell of them: which parts of their records they show. */
export function createListBody(name: string, form = ''): ListBody {
  let room = rooms.pop() ?? NO_ROOM;
  let [count, work, bytes] = [0, 0, 0];
  // what the bytes are made of: hashing it costs a tenth of hashing them
  let made = [form];
  function ensureRoom(size: number): void {
    if (room.length - bytes >= size) return;
    room = Buffer.concat([room.subarray(0, bytes)], (bytes + size) * 2);
  }
  ensureRoom(name.length * 3 + TAIL_BYTES);
  bytes += room.write(`{"${name}":[`, bytes);
  return {
    get count() {
      return count;
    },
    hasRoomFor(item) {
      const left = MAX_BYTES - TAIL_BYTES - bytes;
      // counting them is for the few texts near the end
      return mostBytes(item) < left || Buffer.byteLength(itemText(item)) < left;
    },
    add(item, read) {
      const before = bytes;
      ensureRoom(mostBytes(item) + 1);
      if (count > 0) room[bytes++] = COMMA;
      for (const part of item.parts)
        bytes +=
          typeof part === 'string'
            ? room.write(part, bytes)
            : part.bytes.copy(room, bytes, part.from, part.to);
      made.push(item.digest);
      [count, work] = [count + 1, work + bytes - before + read];
      if (work < PART) return undefined;
      work = 0;
      return letOthersIn();
    },
    end(members) {
      ensureRoom(members.length * 3 + 2);
      bytes += room.write(`],${members}`, bytes);
      const body = room.subarray(0, bytes);
      made.push(members);
      const etag = entityTag(made.join('\n'));
      made = []; // thousands of pieces: the collector would copy them for as long as anything holds this list
      const giveBack = () => {
        if (rooms.length < MAX_ROOMS) rooms.push(room);
      };
      return { body, etag, giveBack };
    },
  };
}
