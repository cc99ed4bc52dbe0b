import { setTimeout } from 'node:timers/promises';

const LOOK_MS = 200;
const MOST_LOOKS = 1_200;

/** Has the lab examine an agent, as its form does, and waits for the report; the path of its page. */
export async function labReport(origin: string, agent: string): Promise<string> {
  const answer = await fetch(`${origin}/lab`, {
    ...{ method: 'POST', redirect: 'manual', headers: { origin } },
    body: new URLSearchParams({ url: agent }),
  });
  const path = answer.headers.get('location');
  if (path === null) throw new Error(`the lab answers ${answer.status}`);
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    // a page that is not done yet says when to look again
    const page = await fetch(origin + path);
    if (page.ok && !page.headers.has('refresh')) return path;
    await setTimeout(LOOK_MS);
  }
  throw new Error(`the lab does not come to an end with ${agent}`);
}
