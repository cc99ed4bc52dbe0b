import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

const store = (REGISTRY_STORE: string) => readConfig({ REGISTRY_STORE }).store;

const bodies = (REGISTRY_BODIES: string) => readConfig({ REGISTRY_BODIES }).bodies;

describe('where bodies are moved to', () => {
  it.each([
    'directory:/var/lib/agent-registry/bodies',
    'https://KEY:se%2Fcret@s3.example/bucket',
    'https://KEY:secret@s3.example:9000/bucket/prefix/?region=eu-central-1',
    'http://KEY:secret@127.0.0.1:9000/bucket',
  ])('may be %s', (address) => {
    expect(bodies(address)).toBe(address);
  });

  it.each([
    'directory:',
    '/var/lib/bodies',
    's3://bucket/prefix',
    'https://s3.example/bucket',
    'https://KEY@s3.example/bucket',
    'https://KEY:secret@s3.example/',
    'https://KEY:secret@s3.example/bucket/../other bucket',
    'https://KEY:100%@s3.example/bucket',
    'https://KEY:secret@s3.example/bucket?region=eu&x=1',
    'https://KEY:secret@s3.example/bucket#x',
    'http://KEY:secret@s3.example/bucket',
  ])('is refused when it is no folder and no bucket with a key: %s', (address) => {
    expect(() => bodies(address)).toThrowError('invalid value of REGISTRY_BODIES');
  });
});

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
    expect(() => store(address)).toThrowError('invalid value of REGISTRY_STORE');
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
