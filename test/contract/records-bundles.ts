import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import type { InstalledBundle } from '../../src/domain/bundle.ts';
import { NEVER_RUN, type Standing } from '../../src/domain/standing.ts';
import type { Records } from '../../src/ports/records.ts';
import type { StandingsByBundle } from '../../src/records/runs/compliance-store.ts';
import { AGENT, changeTo, ownedAt } from './compliance-fixtures.ts';
import { NOW, type RecordsWorld } from './records-fixtures.ts';

const OPERATOR = { kind: 'operator' } as const;
const PASSING: Standing = { ...NEVER_RUN, status: 'passing', statusChangedAt: NOW };
const FAILING: Standing = { ...NEVER_RUN, status: 'failing', statusChangedAt: NOW };

function bundle(version: string, more: Partial<InstalledBundle> = {}) {
  const line = version.slice(0, 3);
  return { version, line, vocabulary: 'adcp' as const, digest: `sha256:${version}`, aliases: [], ...more };
}

const add = ({ bundles }: Records, version: string, more: Partial<InstalledBundle> = {}) =>
  bundles.add(bundle(version, more), OPERATOR, NOW);

const stages = async ({ bundles }: Records) =>
  Object.fromEntries((await bundles.list()).map(({ version, stage }) => [version, stage]));

const aliases = async ({ bundles }: Records) =>
  Object.fromEntries((await bundles.list()).map((one) => [one.version, one.aliases]));

/** Keeps where the agent stands with some bundles, as a run does. */
async function stand(records: Records, byBundle: StandingsByBundle, agent = AGENT): Promise<void> {
  const decide = decideChange({ now: NOW });
  const kept = await records.compliance.reconsider(agent, (before) => ({ ...decide(before), byBundle }), NOW);
  expect(kept).toBe(true);
}

/** Installed bundles, and where agents stand with each. */
export function describeBundles(world: () => RecordsWorld): void {
  describe('a bundle', () => {
    it('is installed in preview, once for each version', async () => {
      const { records } = world();
      expect(await records.bundles.list()).toEqual([]);
      expect(await add(records, '3.1.19')).toBe('added');
      expect(await records.bundles.add(bundle('3.0.26', { aliases: ['stable'] }), OPERATOR, NOW + 1)).toBe(
        'added',
      );
      expect(await add(records, '3.1.19')).toBe('known');
      expect(await add(records, '3.1.19', { digest: 'sha256:other' })).toBe('other_digest');
      expect(await records.bundles.list()).toEqual([
        { ...bundle('3.0.26'), aliases: ['stable'], stage: 'preview', addedAt: NOW + 1 },
        { ...bundle('3.1.19'), stage: 'preview', addedAt: NOW },
      ]);
      expect(await records.owners.auditLog({ limit: 9, subject: '3.0.26' })).toMatchObject([
        {
          ...{ action: 'bundle.add', actor: 'operator', at: NOW + 1 },
          details: { digest: 'sha256:3.0.26', aliases: ['stable'] },
        },
      ]);
    });

    it('takes an alias from the one that had it', async () => {
      const { records } = world();
      await add(records, '3.1.18', { aliases: ['stable', 'lts'] });
      await add(records, '3.1.19', { aliases: ['stable'] });
      expect(await aliases(records)).toEqual({ '3.1.18': ['lts'], '3.1.19': ['stable'] });
      await add(records, '3.1.18', { aliases: ['lts', 'stable'] });
      expect(await aliases(records)).toEqual({ '3.1.18': ['lts', 'stable'], '3.1.19': [] });
      await add(records, '3.1.18');
      expect(await aliases(records)).toMatchObject({ '3.1.18': ['lts', 'stable'] });
    });

    it('as the default turns off the previous one of its line and vocabulary, and no other', async () => {
      const { records } = world();
      for (const version of ['3.0.26', '3.1.18', '3.1.19']) await add(records, version);
      await add(records, '3.1.17', { vocabulary: 'proto' });
      for (const version of ['3.0.26', '3.1.17', '3.1.18', '3.1.19'])
        expect(await records.bundles.setStage(version, 'default', OPERATOR, NOW)).toBe(true);
      expect(await stages(records)).toEqual({
        ...{ '3.0.26': 'default', '3.1.17': 'default', '3.1.18': 'off', '3.1.19': 'default' },
      });
      expect(await records.bundles.setStage('3.1.18', 'default', OPERATOR, NOW + 1)).toBe(true);
      expect(await stages(records)).toMatchObject({ '3.1.18': 'default', '3.1.19': 'off' });
      expect(await records.bundles.setStage('3.1.18', 'preview', OPERATOR, NOW + 2)).toBe(true);
      expect(await stages(records)).toMatchObject({ '3.1.18': 'preview', '3.1.19': 'off' });
      expect(await records.bundles.setStage('9.9.9', 'default', OPERATOR, NOW)).toBe(false);
      expect(await records.owners.auditLog({ limit: 1, subject: '3.1.18' })).toMatchObject([
        { action: 'bundle.stage', details: { before: 'default', after: 'preview' } },
      ]);
    });

    it('is one for each line, however many become the default at once', async () => {
      const { records } = world();
      const versions = ['3.1.16', '3.1.17', '3.1.18', '3.1.19'];
      const added = await Promise.all([...versions, ...versions].map((version) => add(records, version)));
      expect(added.filter((outcome) => outcome === 'added')).toHaveLength(4);
      await Promise.all(
        versions.map((version) => records.bundles.setStage(version, 'default', OPERATOR, NOW)),
      );
      const all = Object.values(await stages(records));
      expect(all.filter((stage) => stage === 'default')).toHaveLength(1);
    });

    it('is removed with the standings that its runs gave, unless it is a default', async () => {
      const { records } = world();
      await ownedAt(records, { [AGENT]: NOW });
      await add(records, '3.1.18');
      await add(records, '3.1.19');
      await records.bundles.setStage('3.1.19', 'default', OPERATOR, NOW);
      await stand(records, { '3.1.18': PASSING, '3.1.19': FAILING });
      const remove = (version: string) => records.bundles.remove(version, OPERATOR, NOW);
      expect(await remove('3.1.19')).toBe('default');
      expect(await remove('9.9.9')).toBe('unknown');
      expect(await remove('3.1.18')).toBe('removed');
      expect(await remove('3.1.18')).toBe('removed'); // repeated, because the answer to the commit was lost
      expect(await stages(records)).toEqual({ '3.1.19': 'default' });
      expect(await records.compliance.bundleStandings(AGENT)).toEqual({ '3.1.19': FAILING });
      expect(await records.owners.auditLog({ limit: 1, subject: '3.1.18' })).toMatchObject([
        { action: 'bundle.remove', details: { digest: 'sha256:3.1.18' } },
      ]);
    });
  });

  describe('where agents stand with a bundle', () => {
    const [A, B, C] = ['https://a.acme.example/', 'https://b.acme.example/', 'https://c.acme.example/'];

    it('is kept beside their status, and replaced by the next run', async () => {
      const { records } = world();
      await ownedAt(records, { [A]: NOW });
      expect(await records.compliance.bundleStandings(A)).toEqual({});
      await stand(records, { '3.0.26': PASSING, '3.1.19': PASSING }, A);
      await stand(records, { '3.1.19': FAILING }, A);
      expect(await records.compliance.bundleStandings(A)).toEqual({ '3.0.26': PASSING, '3.1.19': FAILING });
      expect((await records.compliance.state(A))?.standing).toEqual(NEVER_RUN);
    });

    it('is listed by URL, page by page, without those that opted out', async () => {
      const { records } = world();
      await ownedAt(records, { [A]: NOW, [B]: NOW, [C]: NOW, [AGENT]: NOW });
      for (const agent of [C, A, B]) await stand(records, { '3.1.19': PASSING }, agent);
      await stand(records, { '3.1.19': FAILING });
      await stand(records, { '3.0.26': FAILING }, A);
      await changeTo(records, { optedOut: true });
      const page = async (after: string) =>
        (await records.compliance.standingsWith('3.1.19', after, 2)).map(({ agent }) => agent);
      expect(await page('')).toEqual([A, B]);
      expect(await page(B)).toEqual([C]);
      expect(await page(C)).toEqual([]);
      expect(await records.compliance.standingsWith('3.0.26', '', 9)).toEqual([
        { agent: A, standing: FAILING },
      ]);
      expect(await records.compliance.bundleStandings(AGENT)).toEqual({});
    });
  });
}
