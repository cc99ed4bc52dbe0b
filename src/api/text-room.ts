/** Texts that become bytes while they are made: what is kept as text, each garbage collection would copy. */
export interface TextRoom {
  readonly bytes: number;
  /** Adds a text behind the others. */
  write(text: string): void;
  /** Adds the bytes of a text in UTF-8 that stand among others. */
  copy(source: Buffer, from: number, to: number): void;
  /** Takes back what stands behind so many bytes. */
  cut(bytes: number): void;
  /** What stands before so many bytes, by default all of it; nothing is written any more. */
  end(bytes?: number): LentBytes;
}

export interface LentBytes {
  readonly body: Buffer;
  /** Call it once when nobody reads them any more, or never. */
  readonly giveBack: () => void;
}

/**
 * Rooms of texts that have been sent, for the next ones: memory that is new for each answer costs more than all else of it,
 * as the kernel gives it page by page.
 */
const rooms: Buffer[] = [];
/** Answers that are being sent at the same time. */
const MAX_ROOMS = 16;
/** A room grows to twice of what it needs, and most answers end at 2 MiB. */
const MAX_ROOM_BYTES = 5 * 1024 * 1024;
const NO_ROOM = Buffer.alloc(0);

export function createTextRoom(): TextRoom {
  let room = rooms.pop() ?? NO_ROOM;
  let bytes = 0;
  const ensure = (size: number): void => {
    if (room.length - bytes >= size) return;
    room = Buffer.concat([room.subarray(0, bytes)], (bytes + size) * 2);
  };
  return {
    get bytes() {
      return bytes;
    },
    write(text) {
      ensure(text.length * 3); // bytes of a character at most
      bytes += room.write(text, bytes);
    },
    copy(source, from, to) {
      ensure(to - from);
      bytes += source.copy(room, bytes, from, to);
    },
    cut(at) {
      bytes = at;
    },
    end(at = bytes) {
      const giveBack = () => {
        if (rooms.length < MAX_ROOMS && room.length <= MAX_ROOM_BYTES) rooms.push(room);
      };
      return { body: room.subarray(0, at), giveBack };
    },
  };
}
