import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Config, readConfig, SETTINGS } from '../src/config.ts';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      store: 'sqlite:.registry/registry.sqlite',
      index: 'records',
      concurrency: 300,
      probesPerHour: 50,
      maxAgentsPerFile: 500,
      maxDomainsPerFile: 10_000,
      logLevel: 'info',
      trustedProxies: [],
    });
  });

  it('describes every setting, names its variable, and accepts its own default', () => {
    for (const [name, setting] of Object.entries(SETTINGS)) {
      expect(setting.description, name).not.toBe('');
      expect(setting.env, name).toMatch(/^REGISTRY_[A-Z_]+$/);
      const fallback = setting.fallback as unknown;
      if (typeof fallback === 'string' && fallback === '') continue;
      const text = Array.isArray(fallback) ? fallback.join() : String(fallback);
      expect(readConfig({ [setting.env]: text })[name as keyof Config], name).toEqual(fallback);
    }
  });

  it('never shows where the stores are: their addresses can hold a password', () => {
    expect(SETTINGS.store).toMatchObject({ secret: true });
    expect(SETTINGS.index).toMatchObject({ secret: true });
  });

  it.each<[string, string, keyof Config, unknown]>([
    ['REGISTRY_STORE', 'sqlite:/var/lib/registry.sqlite', 'store', 'sqlite:/var/lib/registry.sqlite'],
    ['REGISTRY_CONCURRENCY', '7', 'concurrency', 7],
    ['REGISTRY_TRUSTED_PROXIES', '10.0.0.1, ::1 ,', 'trustedProxies', ['10.0.0.1', '::1']],
    ['REGISTRY_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['REGISTRY_CONTACT', 'mailto:crawl@example.org', 'contact', 'mailto:crawl@example.org'],
    ['REGISTRY_VISIT_DEADLINE_MS', '100', 'visitDeadlineMs', 100],
    [
      'REGISTRY_INDEX',
      'https://user:p%40ss@search.example:9200',
      'index',
      'https://user:p%40ss@search.example:9200',
    ],
    ['REGISTRY_INDEX', 'https://a.example,https://b.example', 'index', 'https://a.example,https://b.example'],
    ['REGISTRY_INDEX', 'http://127.0.0.1:9200', 'index', 'http://127.0.0.1:9200'],
    ['REGISTRY_INDEX', 'http://[::1]:9200', 'index', 'http://[::1]:9200'],
    ['REGISTRY_INDEX_PREFIX', 'agents-2', 'indexPrefix', 'agents-2'],
    ['REGISTRY_INDEX_REPLICAS', '0', 'indexReplicas', 0],
    ['REGISTRY_BASE_URL', 'https://Registry.example:443/', 'baseUrl', 'https://registry.example'],
    ['REGISTRY_BASE_URL', 'http://127.0.0.1:8080/agents/', 'baseUrl', 'http://127.0.0.1:8080/agents'],
  ])('reads %s=%s', (env, text, name, value) => {
    expect(readConfig({ [env]: text })[name]).toEqual(value);
  });

  it.each([
    ['REGISTRY_CONCURRENCY', '0'],
    ['REGISTRY_CONCURRENCY', '2001'],
    ['REGISTRY_CONCURRENCY', '1.5'],
    ['REGISTRY_CONCURRENCY', ''],
    ['REGISTRY_CONCURRENCY', ' '],
    ['REGISTRY_VISIT_DEADLINE_MS', '99'],
    ['REGISTRY_PROBES_PER_HOUR', '-1'],
    ['REGISTRY_LOG_LEVEL', 'loud'],
    ['REGISTRY_BASE_URL', 'registry.example'],
    ['REGISTRY_BASE_URL', 'ftp://registry.example'],
    ['REGISTRY_BASE_URL', 'https://user@registry.example'],
    ['REGISTRY_BASE_URL', 'https://registry.example/?'],
    ['REGISTRY_BASE_URL', 'https://registry.example/#top'],
    ['REGISTRY_INDEX', 'elsewhere'],
    ['REGISTRY_INDEX', 'http://search.example:9200'],
    ['REGISTRY_INDEX', 'http://127.0.0.1.example:9200'],
    ['REGISTRY_INDEX', 'https://a.example,http://b.example'],
    ['REGISTRY_INDEX', 'https://a.example,'],
    ['REGISTRY_INDEX', 'https://a.example/?q=1'],
    ['REGISTRY_INDEX', 'https://user:50%@a.example'],
    ['REGISTRY_INDEX', 'ftp://a.example'],
    ['REGISTRY_INDEX_PREFIX', 'Agents'],
    ['REGISTRY_INDEX_PREFIX', '-agents'],
    ['REGISTRY_INDEX_PREFIX', 'a,b'],
    ['REGISTRY_INDEX_PREFIX', 'a*'],
    ['REGISTRY_INDEX_SHARDS', '0'],
    ['REGISTRY_STORE', ''],
    ['REGISTRY_CONTACT', 'not a url'],
    ['REGISTRY_CONTACT', 'crawler@registry.example'],
    ['REGISTRY_CONTACT', 'javascript:alert(1)'],
  ])('refuses %s=%j and says what it is for', (env, text) => {
    const read = () => readConfig({ [env]: text });
    expect(read).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining(env) }));
    expect(read).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/such as \S|for example \S/) }),
    );
  });

  it('refuses a variable that it does not know, with those that it knows', () => {
    expect(() => readConfig({ REGISTRY_CONCURENCY: '5' })).toThrow(
      expect.objectContaining({
        message: 'unknown setting REGISTRY_CONCURENCY',
        hint: expect.stringContaining('REGISTRY_CONCURRENCY'),
      }),
    );
  });

  it('leaves the variables of others alone', () => {
    expect(() =>
      readConfig({ HOME: '/root', HTTPS_PROXY: 'http://proxy', MY_REGISTRY_X: '1' }),
    ).not.toThrow();
  });
});

describe('a secret in a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'registry-secret-')), 'store');
  afterAll(() => rmSync(dirname(file), { recursive: true }));

  it('is the value of the setting, without its line end', () => {
    writeFileSync(file, 'sqlite:/data/records.sqlite\n');
    expect(readConfig({ REGISTRY_STORE_FILE: file }).store).toBe('sqlite:/data/records.sqlite');
  });

  it('is refused beside the value itself', () => {
    const both = { REGISTRY_STORE: 'sqlite:x', REGISTRY_STORE_FILE: file };
    expect(() => readConfig(both)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: 'REGISTRY_STORE and REGISTRY_STORE_FILE are both set',
      }),
    );
  });

  it('that cannot be read is a mistake of the configuration, which says what to check', () => {
    expect(() => readConfig({ REGISTRY_INDEX_FILE: join(file, 'none') })).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('REGISTRY_INDEX_FILE: cannot read'),
        hint: expect.stringContaining('can read'),
      }),
    );
  });

  it('is only for settings that are secret', () => {
    expect(() => readConfig({ REGISTRY_CONTACT_FILE: file })).toThrow(
      'unknown setting REGISTRY_CONTACT_FILE',
    );
  });
});
