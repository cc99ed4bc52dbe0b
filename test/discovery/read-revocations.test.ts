import { expect, test } from 'vitest';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { bytesOf } from './fixtures/fixture.ts';

const GONE = ['gone.example'];
const named = { publisher_domain: 'gone.example' };

/** A revocation only takes away: whatever form names a domain counts, and what is not the format's is an error. */
test.each<[string, object, readonly string[], readonly string[]]>([
  ['as the format has it', { revoked_publisher_domains: [named] }, GONE, []],
  ['a text', { revoked_publisher_domains: ['gone.example'] }, GONE, ['wrong_type']],
  ['one text alone', { revoked_publisher_domains: 'gone.example' }, GONE, ['wrong_type']],
  ['one alone', { revoked_publisher_domains: named }, GONE, ['wrong_type']],
  [
    'a URL',
    { revoked_publisher_domains: [{ publisher_domain: 'https://gone.example/x' }] },
    GONE,
    ['domain_invalid'],
  ],
  ['all hosts', { revoked_publisher_domains: ['*.gone.example'] }, GONE, ['wrong_type']],
  ['another member', { revoked_publisher_domains: [{ domain: 'gone.example' }] }, GONE, ['domain_invalid']],
  ['another notation', { revokedPublisherDomains: [named] }, GONE, ['revocations_misnamed']],
  ['another name', { revoked_publishers: [named] }, GONE, ['revocations_misnamed']],
  [
    'another name beside ours',
    { revoked_publisher_domains: [], revoked_domains: [named] },
    GONE,
    ['revocations_misnamed'],
  ],
  ['a name with a typing error', { revoked_publiser_domains: [named] }, GONE, ['revocations_misnamed']],
  [
    'a name with letters of another script',
    { rеvoked_publisher_domains: [named] },
    GONE,
    ['revocations_misnamed'],
  ],
  [
    'a name with its first letter lost',
    { evoked_publisher_domains: [named] },
    GONE,
    ['revocations_misnamed'],
  ],
  [
    'a member with a typing error',
    { revoked_publisher_domains: [{ publisher_domai: 'gone.example', reason: 'other.example' }] },
    GONE,
    ['domain_invalid'],
  ],
  [
    'a list of domains',
    { revoked_publisher_domains: [{ publisher_domains: ['gone.example', 'b.example'] }] },
    [...GONE, 'b.example'],
    ['domain_invalid'],
  ],
  ['a list in a list', { revoked_publisher_domains: [['gone.example']] }, GONE, ['wrong_type']],
  [
    'a map by domain',
    { revoked_publisher_domains: { 'gone.example': { reason: 'other' }, 'b.example': {} } },
    [...GONE, 'b.example'],
    ['wrong_type', 'domain_invalid'],
  ],
  [
    'a domain behind a sign',
    { revoked_publisher_domains: [{ publisher_domain: ' .gone.example ' }] },
    GONE,
    ['domain_invalid'],
  ],
  ['something that is far away', { received_publisher_domains: [named] }, [], []],
  [
    'a time that is none',
    { revoked_publisher_domains: [{ ...named, revoked_at: 'now' }] },
    GONE,
    ['time_invalid'],
  ],
  ['nothing', { revoked_publisher_domains: [{}, 7, ''] }, [], ['domain_invalid', 'wrong_type']],
  ['null', { revoked_publisher_domains: null }, [], []],
])('a revocation as %s', (_name, said, domains, codes) => {
  const file = { authorized_agents: [], properties: [], signals: [{}], ...said };
  const { declaration, findings } = readAdagents(bytesOf(file));
  expect(declaration?.revokedPublisherDomains.map(({ publisherDomain }) => publisherDomain)).toEqual(domains);
  expect([...new Set(findings.map(({ code }) => code))]).toEqual(codes);
});
