import { describe, expect, it } from 'vitest';
import { asPostgresError, isUnavailable, placeOf } from '../../../src/records/postgres/postgres-error.ts';

describe('an error of the driver or the server', () => {
  it.each(['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED', '57P05', '25P03'])(
    '%s says that the server is away, which passes',
    (code) => {
      const error = Object.assign(new Error(`connect ${code}`), { code });
      expect(isUnavailable(error)).toBe(true);
      expect(asPostgresError(error, 'db')).toMatchObject({ code: 'store_unavailable', retryable: true });
    },
  );

  it('57014 says that a query took too long, not that the server is away', () => {
    const error = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    expect(isUnavailable(error)).toBe(false);
    expect(asPostgresError(error, 'db')).toMatchObject({
      code: 'store_unavailable',
      message: 'a query of the database db took longer than its time limit',
      retryable: true,
    });
  });

  it('55P03 says that somebody keeps a lock, which passes', () => {
    const error = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    expect(asPostgresError(error, 'db')).toMatchObject({ code: 'store_locked', retryable: true });
  });

  it('of a session that cannot write what it begins with says that there is no space', () => {
    const error = Object.assign(new Error('could not write init file'), {
      code: 'XX000',
      routine: 'write_item',
    });
    expect(asPostgresError(error, 'db')).toMatchObject({ code: 'store_unwritable', retryable: true });
  });

  it('of our own statements comes back as it is', () => {
    const error = Object.assign(new Error('syntax error'), { code: '42601' });
    expect(asPostgresError(error, 'db')).toBe(error);
  });
});

describe('the place that messages name', () => {
  it('is host and database, without user, password and parameters', () => {
    expect(placeOf('postgres://user:secret@db.example:5433/registry?sslmode=require')).toBe(
      'db.example:5433/registry',
    );
  });

  it.each([
    'postgres://user:se@cr/et@db/registry',
    'postgres://user:12/et@db/registry',
    'postgres://user:12?et@db/registry',
    'postgres://user:12#et@db/registry',
    'postgres://user:se/cret@db/registry',
  ])('is not guessed from %s, which shows a part of the password elsewhere', (address) => {
    expect(placeOf(address)).toBe('of REGISTRY_STORE');
  });
});
