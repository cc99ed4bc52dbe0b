// Follows a test until it is over, and then shows what it found. Without this the page loads itself again.
const place = document.querySelector('[data-run]');
const part = (name) => place?.querySelector(`[data-run-${name}]`);
const TEXTS = { queued: 'Queued', running: 'Running' };
/** As the page of the server has them: class, word, mark. */
const WORDS = {
  pass: ['good', 'passed', '✓'],
  fail: ['bad', 'failed', '✗'],
  incomplete: ['warn', 'incomplete', '◐'],
  skipped: ['calm', 'skipped', '–'],
};
const EVERY_MS = 1_000;

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

function stepItem({ title, result, duration_ms: took }) {
  const [tone, word, mark] = WORDS[result];
  const sign = element('span', '', mark);
  sign.ariaHidden = 'true';
  const parts = [sign, element('span', 'unseen', `${word}: `), ' ', element('bdi', '', title)];
  if (result !== 'skipped') parts.push(' ', element('span', 'type', `${Math.round(took)} ms`));
  return element('li', tone, ...parts);
}

function storyboardItem({ title, result, steps }) {
  const ran = steps.filter((step) => step.result !== 'skipped').length;
  const shown = result === 'pass' && steps.length - ran > ran ? 'incomplete' : result;
  const [tone, word] = WORDS[shown] ?? ['warn', 'running'];
  const head = element(
    'p',
    '',
    element('b', '', element('bdi', '', title)),
    ' ',
    element('span', `pill ${tone}`, word),
  );
  if (shown === 'incomplete')
    head.append(' ', element('span', 'type', `${ran} of ${steps.length} steps ran`));
  return element('li', '', head, element('ul', '', ...steps.map(stepItem)));
}

function show({ storyboards, steps, begun }) {
  const done = begun.reduce((sum, one) => sum + one.steps.length, 0);
  const over = begun.filter(({ result }) => result !== undefined).length;
  const bar = part('bar');
  if (bar.value === done && part('done').textContent !== '') return;
  part('done').textContent = `: ${done} of ${steps} steps, ${over} of ${storyboards} storyboards`;
  bar.max = Math.max(1, steps);
  bar.value = done;
  part('storyboards').replaceChildren(...begun.toReversed().map(storyboardItem));
}

async function look() {
  const answer = await fetch(place.dataset.run, { headers: { accept: 'application/json' } });
  if (answer.status === 429 || answer.status >= 500) return;
  // over, or nobody is signed in any more: the page says which
  if (!answer.ok || answer.redirected) return location.reload();
  const run = await answer.json();
  const text = TEXTS[run.state];
  if (text === undefined) return location.reload();
  const state = part('state');
  if (state.textContent !== text) state.textContent = text;
  const waited = part('waited');
  waited.textContent = String(Math.max(Number(waited.textContent), Math.round(run.waited_s)));
  if (run.so_far !== undefined) show(run.so_far);
}

async function follow() {
  await look().catch(() => undefined); // the network may come back
  setTimeout(follow, EVERY_MS);
}

if (place !== null) follow();
