import { describe, expect, it } from 'vitest';
import type { Observation } from '../../src/domain/observation.ts';
import type { Records } from '../../src/ports/records.ts';
import {
  authorisation,
  EXPOSED,
  facts,
  HOUR,
  mention,
  NOW,
  observed,
  type RecordsWorld,
} from './records-fixtures.ts';
import { declare, probing, takeOne } from './records-steps.ts';

const AGENT = 'https://ads.nova.example/mcp';

/** The URL to dial for an agent, as the records spell it. */
export function describeDialled(world: () => RecordsWorld): void {
  const dialled = () => world().records.agents.dialled(AGENT);
  const say = (declarer: string, declaredUrl: string, over = {}) => {
    const said = [mention(declarer, AGENT, { declaredUrl })];
    const text = `${declarer} ${declaredUrl}`;
    return declare(world().records, declarer, 'brand', text, facts({ mentions: said, ...over }));
  };
  const authorise = (publisher: string, declaredUrl: string) => {
    const authorisations = [authorisation(publisher, AGENT, { declaredUrl })];
    return declare(world().records, publisher, 'adagents', declaredUrl, facts({ authorisations }));
  };
  const register = (url: string) => {
    const acme = { slug: 'acme', displayName: 'Acme', foundingMember: false };
    const { members } = world().records;
    return members
      .import([acme], NOW)
      .then(() => members.register({ agent: AGENT, url, member: 'acme' }, NOW));
  };

  describe('the URL that is dialled for an agent', () => {
    it('is its canonical URL where nobody has declared or registered it', async () => {
      expect(await dialled()).toBe(AGENT);
    });

    it('is spelt as whoever declared it first spelt it, until somebody with more to say spells it', async () => {
      await authorise('news.example', `${AGENT}/`);
      await authorise('other.example', `${AGENT}//`);
      await say('stranger.example', `${AGENT}///`);
      expect(await dialled()).toBe(`${AGENT}/`);
      await say('a-tenant.nova.example', 'https://ADS.nova.example/mcp/');
      expect(await dialled()).toBe('https://ADS.nova.example/mcp/');
      await say('nova.example', 'https://ads.nova.example/./mcp');
      expect(await dialled()).toBe('https://ads.nova.example/./mcp');
      await register('https://ads.nova.example:443/mcp');
      expect(await dialled()).toBe('https://ads.nova.example:443/mcp');
    });

    it('is spelt by the house that the agent points back to, as soon as a probe has seen it', async () => {
      await authorise('news.example', `${AGENT}/`);
      await say('house.example', `${AGENT}//`, { operators: ['nova.example'] });
      expect(await dialled()).toBe(`${AGENT}/`);
      await probed(world().records, {
        ...observed(AGENT),
        ...{ dialledUrl: `${AGENT}/`, protocol: 'mcp', endpoint: `${AGENT}/` },
        exposed: { ...EXPOSED, brandJsonUrl: 'https://house.example/.well-known/brand.json' },
      });
      expect(await dialled()).toBe(`${AGENT}//`);
    });

    it('is the one that a probe reached the agent at, where a stranger has spelt it so that nobody answers', async () => {
      await authorise('stranger.example', `${AGENT}//`);
      expect(await dialled()).toBe(`${AGENT}//`);
      await probed(world().records, offlineAt(`${AGENT}//`));
      expect(await dialled()).toBe(`${AGENT}//`);
      await probed(world().records, {
        ...observed(AGENT),
        dialledUrl: AGENT,
        protocol: 'mcp',
        endpoint: AGENT,
      });
      expect(await dialled()).toBe(AGENT);
      await authorise('another.example', `${AGENT}//`);
      expect(await dialled()).toBe(AGENT);
    });

    it('is again as the others spell it when the file that had the say does not name the agent any more', async () => {
      await authorise('news.example', `${AGENT}/`);
      await say('a-tenant.nova.example', `${AGENT}//`);
      await declare(world().records, 'a-tenant.nova.example', 'brand', 'nobody', facts({}), NOW + 2 * HOUR);
      expect(await dialled()).toBe(`${AGENT}/`);
    });
  });

  async function probed(records: Records, seen: Observation): Promise<void> {
    const at = NOW + 2 * HOUR;
    const work = await takeOne(records, 'agent', AGENT, at);
    await records.sources.commitProbe(probing(work, { ...seen, at }, { at, nextVisitAt: at }));
  }
}

function offlineAt(dialledUrl: string): Observation {
  const { protocol: _none, endpoint: _nowhere, exposed: _nothing, ...seen } = observed(AGENT);
  return { ...seen, dialledUrl, health: { online: false, error: 'HTTP 404', errorClass: 'wrong_path' } };
}
