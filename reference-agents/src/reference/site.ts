import type { Site } from '../web/web.ts';
import { brandPages } from './brand/logos.ts';
import { creativePages } from './creatives/pictures.ts';
import type { ReferenceAgent } from './handler.ts';

/** What an agent serves beside its protocol: the pictures that it made, the logos of its brands. */
export function siteOf(agent: ReferenceAgent): Site | undefined {
  switch (agent.spec.type) {
    case 'creative':
    case 'sales':
      return creativePages(agent);
    case 'brand':
      return brandPages(agent.spec);
    default:
      return undefined;
  }
}
