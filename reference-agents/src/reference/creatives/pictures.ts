import type { AgentState } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf } from '../../agents/agent.ts';
import { file } from '../../web/file.ts';
import type { PageHandler, WebSite } from '../../web/web.ts';
import type { ReferenceAgent } from '../handler.ts';

/** Pictures belong to the agent: whoever has the address may see them, and nobody guesses it. */
const PICTURES = 'creative_pictures';

interface StoredPicture {
  readonly svg: string;
}

/** Names one picture: of which build, of which step, and which of its formats (from 0). */
export interface PictureName {
  readonly buildId: string;
  readonly iteration: number;
  readonly place: number;
}

/** The address of a picture on the host of its agent. */
export function pictureUrl(spec: AgentSpec, name: PictureName): string {
  return `https://${hostOf(spec)}/creatives/${keyOf(name)}.svg`;
}

/** Keeps a picture, so that it can be looked at. */
export function keepPicture(state: AgentState, name: PictureName, svg: string): void {
  state.collection<StoredPicture>(PICTURES).put(keyOf(name), { svg });
}

/** The pages of an agent that makes creatives: `/creatives/<build>/<iteration>/<n>.svg`. */
export function creativePages({ state }: Pick<ReferenceAgent, 'state'>): WebSite {
  return (path) => {
    const key = /^\/creatives\/([\w-]{1,100}\/\d{1,6}\/\d{1,3})\.svg$/.exec(path)?.[1];
    const picture = key === undefined ? undefined : state.collection<StoredPicture>(PICTURES).get(key);
    return picture === undefined ? undefined : picturePage(picture.svg);
  };
}

/** A picture in which nothing runs and which loads nothing, opened by itself too. */
function picturePage(svg: string): PageHandler {
  const page = file(svg, { contentType: 'image/svg+xml', cacheControl: 'max-age=31536000, immutable' });
  return (request, response) => {
    response.setHeader('content-security-policy', "default-src 'none'; sandbox");
    response.setHeader('x-content-type-options', 'nosniff');
    return page(request, response);
  };
}

function keyOf({ buildId, iteration, place }: PictureName): string {
  return `${buildId}/${iteration}/${place}`;
}
