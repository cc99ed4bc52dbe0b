import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { liveAddress } from '../../src/adapters/live-address.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the address of an engine', () => {
  it('becomes what its file says when the engine refuses it', () => {
    let file = 'old';
    const address = liveAddress('old', () => file);
    file = 'new';
    expect(address.current()).toBe('old'); // nobody refused it yet
    expect(address.refused('old', 'no')).toBe(true);
    expect([address.current(), address.cooldown()]).toEqual(['new', undefined]);
    expect(address.refused('old', 'no')).toBe(true); // of an attempt that began before
    expect(address.cooldown()).toBeUndefined();
  });

  it('stays while its file says the same, or cannot be read', () => {
    const answers = ['same', undefined];
    const address = liveAddress('same', () => answers.shift());
    expect(address.refused('same', 'no')).toBe(false);
    expect(address.refused('same', 'no')).toBe(false);
    expect(address.current()).toBe('same');
  });

  it('is tried less and less while it is refused, and as before once it is taken', () => {
    const address = liveAddress('x');
    const waits: number[] = [];
    for (let failures = 0; failures < 6; failures += 1) {
      address.refused('x', 'no');
      let waited = 0;
      for (; address.cooldown() === 'no'; waited += 500) vi.advanceTimersByTime(500);
      waits.push(waited);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    address.accepted();
    address.refused('x', 'no');
    vi.advanceTimersByTime(500);
    expect(address.cooldown()).toBeUndefined();
  });
});
