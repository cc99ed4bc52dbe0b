import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../../src/crawl/body-room.ts';

const holder = () => ({ bytes: 0, hasAsked: false });

describe('the room for large bodies', () => {
  it('is given at once while there is some; then the oldest of those that wait may pass the limit until it ends', () => {
    const room = new BodyRoom(10);
    const [first, second, third] = [holder(), holder(), holder()];
    expect([room.take(first, 4), room.take(second, 4)]).toEqual([undefined, undefined]);
    expect(room.take(third, 4)).toBeUndefined(); // nobody else waits
    expect(room.take(first, 4)).toBeInstanceOf(Promise);
    expect(room.take(third, 4)).toBeUndefined();
    expect(room.used).toBe(16);
    room.end(third);
    expect([room.used, first.bytes]).toEqual([12, 8]); // the next in line was the next to pass the limit
    room.end(first);
    expect(room.take(second, 6)).toBeUndefined();
  });

  it('forgets who gave up while it waited', () => {
    const room = new BodyRoom(10);
    const [first, second, gone] = [holder(), holder(), holder()];
    expect([room.take(first, 10), room.take(second, 5)]).toEqual([undefined, undefined]);
    expect(room.take(gone, 5)).toBeInstanceOf(Promise);
    for (const one of [gone, second, first]) room.end(one);
    expect([room.used, gone.bytes]).toEqual([0, 0]);
  });

  it('lets everybody end, and passes its limit by one body only', async () => {
    const body = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 20 }), async (bodies) => {
        const room = new BodyRoom(40);
        let most = 0;
        const visit = async (steps: readonly number[]): Promise<void> => {
          const one = holder();
          for (const bytes of steps) {
            await room.take(one, bytes);
            most = Math.max(most, room.used);
          }
          room.end(one);
        };
        await Promise.all(bodies.map(visit));
        const largest = Math.max(0, ...bodies.map((steps) => steps.reduce((sum, bytes) => sum + bytes, 0)));
        expect(room.used).toBe(0);
        expect(most).toBeLessThanOrEqual(40 + largest);
      }),
    );
  });
});
