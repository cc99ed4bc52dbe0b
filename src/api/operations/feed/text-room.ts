/** Texts that become bytes while they are made: what is kept as text, each garbage collection would copy. */
export interface TextRoom {
  readonly bytes: number;
  /** Adds a text behind the others. */
  write(text: string): void;
  /** Takes back what stands behind so many bytes. */
  cut(bytes: number): void;
  /** What stands before so many bytes, by default all of it; nothing is written any more. */
  end(bytes?: number): Buffer;
}

/** Room for a large body, kept for the next one: what is allocated anew for each, the collector halts everybody for. */
const NO_ROOM = Buffer.alloc(0);
let spareRoom = NO_ROOM;

export function createTextRoom(): TextRoom {
  let room = spareRoom;
  spareRoom = NO_ROOM;
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    write(text) {
      // three bytes a character are the most
      if (room.length - bytes < text.length * 3) {
        const needed = bytes + Buffer.byteLength(text);
        if (needed > room.length) room = Buffer.concat([room.subarray(0, bytes)], needed * 2);
      }
      bytes += room.write(text, bytes);
    },
    cut(at) {
      bytes = at;
    },
    end(at = bytes) {
      const written = Buffer.from(room.subarray(0, at));
      if (room.length > spareRoom.length) spareRoom = room;
      return written;
    },
  };
}
