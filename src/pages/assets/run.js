// Follows a test until it is over, and then shows what it found. Without this the page loads itself again.
const place = document.querySelector('[data-run]');
const state = place?.querySelector('[data-run-state]');
const waited = place?.querySelector('[data-run-waited]');
const TEXTS = { queued: 'Waiting for its turn', running: 'Running' };
const EVERY_MS = 2_000;

async function look() {
  const answer = await fetch(place.dataset.run, { headers: { accept: 'application/json' } });
  if (answer.status === 429 || answer.status >= 500) return;
  // over, or nobody is signed in any more: the page says which
  if (!answer.ok || answer.redirected) return location.reload();
  const run = await answer.json();
  const text = TEXTS[run.state];
  if (text === undefined) return location.reload();
  if (state.textContent !== text) state.textContent = text;
  waited.textContent = String(Math.max(Number(waited.textContent), run.waited_s));
}

async function follow() {
  await look().catch(() => undefined); // the network may come back
  setTimeout(follow, EVERY_MS);
}

if (place !== null) follow();
