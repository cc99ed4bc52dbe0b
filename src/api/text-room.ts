export interface LentBytes {
  readonly body: Buffer;
  /** Returns the bytes to the pool. Optional; call at most once, after they have been sent. */
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

/**
 * Texts that become bytes while they are made: what is kept as text, each garbage collection would copy. A class, as an object
 * that is made with a getter is a dictionary for V8, and every use of it a look-up.
 */
export class TextRoom {
  #room = rooms.pop() ?? NO_ROOM;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a text behind the others. */
  write(text: string): void {
    this.#ensure(text.length * 3); // bytes of a character at most
    this.#bytes += this.#room.write(text, this.#bytes);
  }

  /** Adds the bytes of a text in UTF-8 that stand among others. */
  copy(source: Buffer, from: number, to: number): void {
    this.#ensure(to - from);
    this.#bytes += source.copy(this.#room, this.#bytes, from, to);
  }

  /** Truncates the text to this many bytes. */
  cut(bytes: number): void {
    this.#bytes = bytes;
  }

  /** The first bytes, by default all of them; nothing can be written afterwards. */
  end(bytes = this.#bytes): LentBytes {
    const room = this.#room;
    const giveBack = () => {
      if (rooms.length < MAX_ROOMS && room.length <= MAX_ROOM_BYTES) rooms.push(room);
    };
    return { body: room.subarray(0, bytes), giveBack };
  }

  #ensure(size: number): void {
    if (this.#room.length - this.#bytes >= size) return;
    this.#room = Buffer.concat([this.#room.subarray(0, this.#bytes)], (this.#bytes + size) * 2);
  }
}
