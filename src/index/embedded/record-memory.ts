import type { AgentHit, LiveText, RecordText, StoredRecord } from '../../domain/agent-query.ts';
import { recordText } from '../query/record-text.ts';

/** Which record it is, and what it was made of: the document, and how the agent was. */
export interface RecordVersion {
  readonly generation: number;
  readonly id: number;
  readonly seq: number;
  readonly changed: number;
}

export interface RecordHit extends AgentHit {
  readonly record: RecordText;
}

/**
 * Records that were read, as bytes beside the heap: most pages of a list show records that some other page has shown. What was
 * read first goes first.
 */
export interface RecordMemory {
  get(version: RecordVersion): RecordHit | undefined;
  keep(version: RecordVersion, url: string, stored: StoredRecord, live: LiveText): RecordHit;
  clear(): void;
}

interface Kept extends Omit<RecordVersion, 'id'> {
  readonly hit: RecordHit;
}

/** Many records share one. Whoever still reads one that was given up has it as it was. */
interface Slab {
  readonly bytes: Buffer;
  used: number;
  readonly ids: number[];
}

const SLAB_BYTES = 1_048_576;

/** What a record costs of the heap beside its bytes. */
const ENTRY_BYTES = 400;

/** Makes a memory of at most `maxBytes`, taken as they are needed. */
export function createRecordMemory(maxBytes: number): RecordMemory {
  const kept = new Map<number, Kept>();
  let slabs: Slab[] = [];
  let bytes = 0;

  function forget(slab: Slab): void {
    bytes -= slab.bytes.length + slab.ids.length * ENTRY_BYTES;
    for (const id of slab.ids) if (kept.get(id)?.hit.record.bytes === slab.bytes) kept.delete(id);
  }

  function slabFor(size: number): Slab {
    const last = slabs.at(-1);
    if (last !== undefined && last.bytes.length - last.used >= size) return last;
    const slab = { bytes: Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, size)), used: 0, ids: [] };
    bytes += slab.bytes.length;
    slabs.push(slab);
    while (bytes > maxBytes && slabs.length > 1) forget(slabs.shift() ?? slab);
    return slab;
  }

  return {
    get({ generation, id, seq, changed }) {
      const found = kept.get(id);
      const isSame = found?.changed === changed && found.seq === seq && found.generation === generation;
      return isSame ? found.hit : undefined;
    },
    keep({ generation, id, seq, changed }, url, stored, live) {
      const record = recordText(stored, live, (size) => {
        const slab = slabFor(size);
        const from = slab.used;
        slab.used += size;
        slab.ids.push(id);
        bytes += ENTRY_BYTES;
        return { bytes: slab.bytes, from };
      });
      const hit = { url, seq, record };
      kept.set(id, { generation, seq, changed, hit });
      return hit;
    },
    clear() {
      kept.clear();
      [slabs, bytes] = [[], 0];
    },
  };
}
