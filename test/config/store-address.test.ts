import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

const store = (REGISTRY_STORE: string) => readConfig({ REGISTRY_STORE }).store;

describe('the address of the records', () => {
  it.each([
    'sqlite:/var/lib/registry.sqlite',
    'postgres://user:secret@db.example:5433/registry?sslmode=require',
    'postgresql://user:s%40%2F%23@[::1]/registry',
    'postgres://registry@127.0.0.1/registry',
    'postgres:///registry?host=/run/postgresql',
  ])('may be %s', (address) => {
    expect(store(address)).toBe(address);
  });

  it.each([
    'postgres://user:p@ss/word@db/registry',
    'postgres://user:12/34@db/registry',
    'postgres://user:12?34@db/registry',
    'postgres://user:12#34@db/registry',
    'postgres://user:p/w@db/registry',
    'postgres://user:100%@db/registry',
    'postgres://user:%ff@db/registry',
    'postgres://user:a b@db/registry',
    'postgres://',
    'sqlite:',
  ])('is refused when it can be taken apart wrongly: %s', (address) => {
    expect(() => store(address)).toThrowError('REGISTRY_STORE has a value that is not accepted');
  });

  it('is not repeated when it is refused', () => {
    try {
      store('postgres://user:geh@im/nis@db/registry');
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toMatch(
        /geh|nis/,
      );
    }
  });
});
